import { describe, expect, it } from '@jest/globals';
import { REPORT_BOUNDS } from '#contracts';
import { endOf, namedRemains, referencesOf, summarised } from './runtime.reading.js';

const alive = (count: number): readonly { readonly pid: number }[] =>
  Array.from({ length: count }, (_, index) => ({ pid: index + 1 }));

describe('the reading of a runtime, in the words of the protocol', () => {
  it('calls what may not be resumed beside a living orphan lost, and names the orphan', () => {
    const read = { kind: 'interrupted', reason: 'client-died', references: {} } as const;
    const reason = 'what spoke to its runtime died without a word';
    expect(endOf(read, [])).toEqual({ how: 'interrupted', reason });
    expect(endOf(read, ['4711'])).toEqual({ how: 'lost', reason, remains: ['4711'] });
  });

  it('names as many processes as a report may hold, and says how many more there are', () => {
    expect(namedRemains(alive(2))).toEqual(['1', '2']);
    expect(namedRemains(alive(REPORT_BOUNDS.remainsMax))).toHaveLength(REPORT_BOUNDS.remainsMax);
    const many = namedRemains(alive(REPORT_BOUNDS.remainsMax + 44));
    expect(many).toHaveLength(REPORT_BOUNDS.remainsMax);
    expect(many.slice(-2)).toEqual(['255', '45 more']);
  });

  it('leaves out a name that a report can not hold, and keeps the others', () => {
    const thread = 'ä'.repeat(REPORT_BOUNDS.referenceBytesMax / 2 + 1);
    const references = { thread, turn: 'turn-1' };
    expect(referencesOf({ kind: 'interrupted', reason: 'client-died', references })).toEqual({
      turn: 'turn-1',
    });
    expect(
      summarised([{ kind: 'acked', at: 5, prompt: 'initial', key: 'k', thread, turn: 'turn-1' }]),
    ).toEqual({ acked: 5, turn: 'turn-1' });
  });
});
