import type { RunId } from '#kernel';

/** A place in a session's queue. */
export interface QueuedRun {
  readonly runId: RunId;
}

/** How many runs may wait in one session. Bound of the session's folded state; past it: 429 `session_queue_full`. */
export const SESSION_QUEUE_MAX = 1_000;

/** Published: the read model of runs learns from them which runs may go on. */
export type { SessionAdvanced, SessionEvent, SessionRunQueued } from '../domain/session.events.js';
