import type { Instant, RunId, SessionId } from '#kernel';

interface Base {
  readonly sessionId: SessionId;
  readonly at: Instant;
}
/** A run named this session. The order of these commits is the order of the session. */
export interface SessionRunQueued {
  readonly type: 'SessionRunQueued';
  readonly data: Base & {
    readonly runId: RunId;
    /** It may run at once: nobody waited, and the active run was over. */
    readonly admitted: boolean;
    /** The run whose place it takes; null when it was not admitted. */
    readonly releases: RunId | null;
  };
}
/** The active run was over: its place went to the first in the queue. */
export interface SessionAdvanced {
  readonly type: 'SessionAdvanced';
  readonly data: Base & { readonly released: RunId; readonly admitted: RunId };
}
export type SessionEvent = SessionRunQueued | SessionAdvanced;
