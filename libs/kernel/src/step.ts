import type { Instant } from './time.js';

/** What a saga's pure `next` answers: one step to take now, when to look again, what it waits for, or nothing at all. */
export type Step<S> =
  | { readonly kind: 'take'; readonly step: S }
  | { readonly kind: 'lookAgainAt'; readonly at: Instant; readonly waitsFor: string }
  | { readonly kind: 'wait'; readonly waitsFor: string }
  | { readonly kind: 'nothing' };

export const take = <S>(step: S): Step<S> => ({ kind: 'take', step });
export const lookAgainAt = (at: Instant, waitsFor: string): Step<never> => ({
  kind: 'lookAgainAt',
  at,
  waitsFor,
});
export const wait = (waitsFor: string): Step<never> => ({ kind: 'wait', waitsFor });
export const nothing: Step<never> = { kind: 'nothing' };
