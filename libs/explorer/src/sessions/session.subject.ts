import { RuleViolation } from '#kernel';
import {
  initialSession,
  type SessionCommand,
  type SessionEvent,
  type SessionState,
} from '#sessions/domain';
import { Interner, Memo } from '../engine/index.js';
import { RUN_IDS, SESSION_ID, indexOf, type RunIndex } from './session.layout.js';
import type { SessionRules } from './session.rules.js';

/** What a command came to on the session's subject. */
export interface SessionOutcome {
  readonly session: number;
  readonly label: string;
  readonly event: SessionEvent | null;
}

/** The session's subject: the project's own decide and evolve, each run once for each distinct input. */
export class SessionSubject {
  readonly #folds = new Interner<SessionState>();
  readonly #commands = new Interner<SessionCommand>();
  readonly #outcomes = new Memo((loaded, current, command) =>
    this.#decide(loaded, current, this.#commands.at(command)),
  );

  constructor(private readonly rules: SessionRules) {}

  get empty(): number {
    return this.#folds.id(initialSession(SESSION_ID));
  }

  at(session: number): SessionState {
    return this.#folds.at(session);
  }

  active(session: number): RunIndex {
    return indexOf(this.at(session).active);
  }

  command(command: SessionCommand): number {
    return this.#commands.id(command);
  }

  nameOf(command: number): string {
    const { type, ...facts } = this.#commands.at(command);
    return 'runId' in facts ? `${type} ${facts.runId}` : type;
  }

  outcome(loaded: number, current: number, command: number): SessionOutcome {
    return this.#outcomes.of(loaded, current, command);
  }

  queueRun(run: RunIndex, active: RunIndex, activeOver: boolean): number {
    const [runId, activeId] = [RUN_IDS[run], RUN_IDS[active]];
    const base = { sessionId: SESSION_ID, now: 0 } as const;
    return this.command({ type: 'QueueRun', ...base, runId, active: activeId, activeOver });
  }

  #decide(loaded: number, current: number, command: SessionCommand): SessionOutcome {
    const [event] = this.#eventsOf(command, this.at(loaded));
    if (event === undefined) return { session: current, label: 'nothing new', event: null };
    const after = this.rules.evolveSession(this.at(current), event);
    return {
      session: this.#folds.id(after),
      label:
        event.type === 'SessionAdvanced'
          ? `SessionAdvanced, ${event.data.released} releases, ${event.data.admitted} is admitted`
          : `SessionRunQueued ${event.data.runId}${event.data.admitted ? ', admitted' : ''}`,
      event,
    };
  }

  #eventsOf(command: SessionCommand, session: SessionState): readonly SessionEvent[] {
    try {
      return this.rules.decideSession(command, session);
    } catch (error) {
      if (error instanceof RuleViolation) return [];
      throw error;
    }
  }
}
