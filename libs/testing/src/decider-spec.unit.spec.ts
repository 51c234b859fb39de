import { describe, expect, it } from '@jest/globals';
import { RuleViolation } from '#kernel';
import { deciderSpec } from './decider-spec.js';

interface Counted {
  readonly type: 'Counted';
  readonly data: { readonly n: number; readonly by?: string };
}
const counter = {
  initialState: () => ({ n: 0 }),
  evolve: (_state: { n: number }, { data }: Counted) => ({ n: data.n }),
  decide: (by: string, { n }: { n: number }): readonly Counted[] => {
    if (n >= 2) throw new RuleViolation('counter.full', { n });
    return [{ type: 'Counted', data: { n: n + 1, by } }];
  },
};
const given = deciderSpec(counter);
const counted: Counted = { type: 'Counted', data: { n: 1 } };

describe('the spec of a decider', () => {
  it('accepts exactly what is decided', () =>
    given([counted])
      .when('ada')
      .then([{ type: 'Counted', data: { n: 2, by: 'ada' } }]));

  it.each<[string, readonly Counted[]]>([
    ['a missing field', [{ type: 'Counted', data: { n: 2 } }]],
    ['another value', [{ type: 'Counted', data: { n: 3, by: 'ada' } }]],
    ['another order of fields', [{ type: 'Counted', data: { by: 'ada', n: 2 } }]],
    ['a missing event', []],
  ])('fails on %s', (_what, expected) => {
    expect(() => given([counted]).when('ada').then(expected)).toThrow();
  });

  it('tells refusals apart, and from decisions', () => {
    const full = given([{ type: 'Counted', data: { n: 2 } }]).when('ada');
    full.thenRefuses('counter.full', { n: 2 });
    expect(() => full.thenRefuses('counter.other')).toThrow();
    expect(() => full.thenRefuses('counter.full', { n: 3 })).toThrow();
    expect(() => full.then([])).toThrow(RuleViolation);
    expect(() => given([]).when('ada').thenRefuses('counter.full')).toThrow('decided was');
  });

  it('fails an evolve that changes the state it was given', () => {
    const careless = deciderSpec({
      ...counter,
      evolve: (state: { n: number }, { data }: Counted) => Object.assign(state, data),
    });
    expect(() => careless([counted]).when('ada').then([])).toThrow(TypeError);
  });
});
