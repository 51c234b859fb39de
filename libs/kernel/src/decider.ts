/** A recorded fact: past tense, with data that is plain JSON. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/**
 * An aggregate's rules. All three are pure: no clock, ids, environment or I/O; a command carries the time.
 *
 * `decide` answers events (it happened), `[]` (nothing new) or throws {@link RuleViolation} (must not happen).
 */
export interface Decider<Command, State, Event extends DomainEvent> {
  /** The subject's second token: `run` in `hf.ev.run.<workspace>.<id>`. */
  readonly aggregate: string;
  initialState(id: string): State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): readonly Event[];
}

/** Folds events over a state. */
export const fold = <State, Event>(
  evolve: (state: State, event: Event) => State,
  state: State,
  events: readonly Event[],
): State => events.reduce(evolve, state);
