import type { RunId, SessionId, WorkspaceId } from '#kernel';

/** Who holds a session's one place, and who waits for it, first come first served. */
export interface SessionQueue {
  readonly activeRunId: RunId;
  readonly queue: readonly RunId[];
}

/** Shows who stands where in a session, from the read model: nothing is decided by it. */
export interface SessionQueues {
  /** Of sessions that only their opener used there is nothing to show. */
  queuesOf(
    workspace: WorkspaceId,
    sessionIds: readonly SessionId[],
  ): Promise<ReadonlyMap<SessionId, SessionQueue>>;
}
export const SESSION_QUEUES = Symbol('SessionQueues');
