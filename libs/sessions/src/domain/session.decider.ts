import type { Decider, Instant, RunId, SessionId } from '#kernel';
import type { SessionEvent } from './session.events.js';

/** A session as folded. Its subject stays empty while only its opener ever ran: the opener's id is the session's. */
export interface SessionState {
  readonly sessionId: SessionId;
  /** The run that holds the session's one place. */
  readonly active: RunId;
  /** Who waits, first come first served. */
  readonly queue: readonly RunId[];
  /** How many commits were folded: decides when a snapshot is due. */
  readonly commits: number;
  /** The last runs that were queued, newest last: recognises a repeat after it left the queue. Bounded. */
  readonly recent: readonly RunId[];
}

export const initialSession = (sessionId: string): SessionState => ({
  sessionId,
  active: sessionId,
  queue: [],
  commits: 0,
  recent: [],
});

interface Base {
  readonly sessionId: SessionId;
  readonly now: Instant;
}
/**
 * Gives a run its place in the order. `activeOver`: a leader read showed the active run settled, or unknown and fenced.
 *
 * Never refused: the run is accepted, so it must get its turn. Whether there is room is asked before the acceptance.
 */
export interface QueueRun extends Base {
  readonly type: 'QueueRun';
  readonly runId: RunId;
  readonly active: RunId;
  readonly activeOver: boolean;
}
/** Gives the place of `released`, which a leader read showed to be over, to the first in the queue. */
export interface AdvanceSession extends Base {
  readonly type: 'AdvanceSession';
  readonly released: RunId;
}
export type SessionCommand = QueueRun | AdvanceSession;

/** Repeats are told apart within this many runs; the run's own subject makes the queueing idempotent beyond it. */
const RECENT_MAX = 2_000;

export const evolveSession = (session: SessionState, event: SessionEvent): SessionState => {
  const commits = session.commits + 1;
  switch (event.type) {
    case 'SessionRunQueued': {
      const { runId, admitted } = event.data;
      const recent = [...session.recent, runId].slice(-RECENT_MAX);
      return admitted
        ? { ...session, commits, recent, active: runId }
        : { ...session, commits, recent, queue: [...session.queue, runId] };
    }
    case 'SessionAdvanced': {
      const { admitted } = event.data;
      const queue = session.queue.filter((waiting) => waiting !== admitted);
      return { ...session, commits, active: admitted, queue };
    }
  }
};

/** Has this run its place already: active, waiting, or been here before? */
export const knowsRun = (session: SessionState, runId: RunId): boolean =>
  session.active === runId || session.queue.includes(runId) || session.recent.includes(runId);

export const decideSession = (
  command: SessionCommand,
  session: SessionState,
): readonly SessionEvent[] => {
  switch (command.type) {
    case 'QueueRun':
      return queueRun(command, session);
    case 'AdvanceSession':
      return advance(command, session);
  }
};

const queueRun = (command: QueueRun, session: SessionState): readonly SessionEvent[] => {
  const { sessionId, runId, active, activeOver, now: at } = command;
  if (knowsRun(session, runId)) return [];
  // What was read of the active run speaks of that run only.
  const admitted = activeOver && active === session.active && session.queue.length === 0;
  const releases = admitted ? session.active : null;
  return [{ type: 'SessionRunQueued', data: { sessionId, at, runId, admitted, releases } }];
};

const advance = (command: AdvanceSession, session: SessionState): readonly SessionEvent[] => {
  const { sessionId, released, now: at } = command;
  const [admitted] = session.queue;
  if (admitted === undefined || released !== session.active) return [];
  return [{ type: 'SessionAdvanced', data: { sessionId, at, released, admitted } }];
};

export const SESSION: Decider<SessionCommand, SessionState, SessionEvent> = {
  aggregate: 'session',
  initialState: initialSession,
  evolve: evolveSession,
  decide: decideSession,
};
