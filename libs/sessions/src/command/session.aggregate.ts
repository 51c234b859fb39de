import type { AggregateType } from '#event-store';
import {
  SESSION,
  type SessionCommand,
  type SessionEvent,
  type SessionState,
} from '../domain/index.js';

export const SESSION_AGGREGATE: AggregateType<SessionCommand, SessionState, SessionEvent> = {
  decider: SESSION,
  snapshots: {
    // A state is stored as it is; every version so far reads it so.
    revive: (stored) => stored as SessionState,
    commitsOf: ({ commits }) => commits,
  },
};
