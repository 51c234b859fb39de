import type { Provenance, RunId, SessionId, WorkspaceId } from '#kernel';

export * from './session-queues.js';

/** A place in a session's queue. */
export interface QueuedRun {
  readonly runId: RunId;
}

/**
 * How many runs may wait in one session before no further one is accepted: 429 `session_queue_full`. Bounds the session's
 * folded state, up to the requests that are in flight when it fills up.
 */
export const SESSION_QUEUE_MAX = 1_000;

/** Published: the read model of runs learns from them which runs may go on. */
export type { SessionAdvanced, SessionEvent, SessionRunQueued } from '../domain/session.events.js';

/** A run's place in a session that it named. */
export interface SessionPlaces {
  /** @throws RuleViolation `session_queue_full`: no further run should be accepted into it. */
  checkRoom(workspace: WorkspaceId, sessionId: SessionId): Promise<void>;
  /**
   * Gives an accepted run its place in the order, and admits it when nobody is before it; changes nothing when it has one.
   */
  enqueue(
    workspace: WorkspaceId,
    sessionId: SessionId,
    runId: RunId,
    by: Provenance,
  ): Promise<void>;
  /** From the leader, where it stands: `absent` has no place yet, `waiting` is in the queue, `admitted` may run. */
  standing(
    workspace: WorkspaceId,
    sessionId: SessionId,
    runId: RunId,
  ): Promise<'absent' | 'waiting' | 'admitted'>;
}
export const SESSION_PLACES = Symbol('SessionPlaces');

/** Moves a session on: to be called after a run that may hold one is over. */
export interface SessionAdvancer {
  advance(workspace: WorkspaceId, sessionId: SessionId): Promise<void>;
}
export const SESSION_ADVANCER = Symbol('SessionAdvancer');
