import { expect } from '@jest/globals';
import { RuleViolation, type Decider, type DomainEvent, type Json } from '#kernel';

/** What a decided command must come to. */
export interface Then<Event> {
  /** Exactly these events: a field left out, added or in another place fails. `[]` = nothing new. */
  then(expected: readonly Event[]): void;
  /** A refusal under this code, and with these details when they are given. */
  thenRefuses(code: string, details?: { readonly [key: string]: Json }): void;
}

/**
 * Given events, when a command, then events: for the unit specs of deciders.
 *
 * States and events are frozen on the way, so that an `evolve` that changes what it was given fails here.
 *
 * @param id the aggregate's id that `initialState` is asked for.
 */
export const deciderSpec =
  <Command, State, Event extends DomainEvent>(
    decider: Pick<Decider<Command, State, Event>, 'decide' | 'evolve' | 'initialState'>,
    id = 'subject',
  ) =>
  (history: readonly Event[]): { when(command: Command): Then<Event> } => ({
    when: (command) => {
      const state = history.reduce<State>(
        (before, event) => frozen(decider.evolve(before, frozen(event))),
        frozen(decider.initialState(id)),
      );
      const decide = (): readonly Event[] => decider.decide(frozen(command), state);
      return {
        then: (expected) => {
          const decided = decide();
          expect(decided).toStrictEqual(expected);
          expect(JSON.stringify(decided)).toBe(JSON.stringify(expected));
        },
        thenRefuses: (code, details) => {
          const refusal = refusalOf(decide);
          expect(refusal.code).toBe(code);
          if (details !== undefined) expect(refusal.details).toStrictEqual(details);
        },
      };
    },
  });

const refusalOf = (decide: () => unknown): RuleViolation => {
  let answer: unknown;
  try {
    answer = decide();
  } catch (error) {
    if (error instanceof RuleViolation) return error;
    throw error;
  }
  throw new Error(`expected a refusal, decided was ${JSON.stringify(answer)}`);
};

/** Freezes a value and everything in it. */
const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
};
