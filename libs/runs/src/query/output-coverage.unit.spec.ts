import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NOTHING_COVERED, missingIn, taken, type Coverage } from './output-coverage.js';

const WHOLE = new TextEncoder().encode('the quick brown fox jumps over the lazy dog');
const piece = (offset: number, length: number, generation = 1) => ({
  generation,
  offset,
  data: WHOLE.subarray(offset, offset + length),
});
const KEPT_MAX = 16 * 1024 * 1024;

/** What a reader gets of these pieces, and what it then has. */
const readAll = (pieces: readonly ReturnType<typeof piece>[]) => {
  let coverage: Coverage = NOTHING_COVERED;
  const fresh = pieces.flatMap((one) => {
    const took = taken(coverage, one);
    coverage = took.coverage;
    return took.fresh === undefined ? [] : [took.fresh];
  });
  return { fresh, coverage };
};
const textOf = (pieces: readonly { readonly data: Uint8Array }[]): string =>
  pieces.map(({ data }) => new TextDecoder().decode(data)).join('');

describe('output that is read', () => {
  it('is handed on as it is when nothing overlaps', () => {
    const { fresh } = readAll([piece(0, 10), piece(10, 5)]);
    expect(fresh).toEqual([piece(0, 10), piece(10, 5)]);
  });

  it('holds no byte twice, wherever a writer that started anew cut it', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(cuts, fc.array(fc.nat(), { maxLength: 4 }), (lengths, restarts) => {
        const pieces: ReturnType<typeof piece>[] = [];
        let offset = 0;
        lengths.forEach((length, index) => {
          if (restarts.some((at) => at % lengths.length === index)) offset = 0; // From the start, in other pieces.
          pieces.push(piece(offset, length));
          offset = Math.min(offset + length, WHOLE.length);
        });
        const { fresh, coverage } = readAll(pieces);
        const { end = 0, bytes = 0 } = coverage.get(1) ?? {};
        expect(textOf(fresh)).toBe(new TextDecoder().decode(WHOLE.subarray(0, end)));
        expect(bytes).toBe(end);
      }),
    );
  });

  it('keeps generations apart', () => {
    const { fresh, coverage } = readAll([piece(0, 10), piece(0, 4, 2), piece(4, 4, 2)]);
    expect(fresh).toHaveLength(3);
    expect([...coverage]).toEqual([
      [1, { end: 10, bytes: 10 }],
      [2, { end: 8, bytes: 8 }],
    ]);
  });
});

describe('missing output', () => {
  it('is what lies between two pieces', () => {
    const { coverage } = readAll([piece(0, 10), piece(15, 5)]);
    expect(missingIn(coverage, undefined, KEPT_MAX)).toBe(5);
  });

  it('is what the node counted and nobody has', () => {
    const { coverage } = readAll([piece(0, 10)]);
    expect(missingIn(coverage, { generation: 1, bytes: 43 }, KEPT_MAX)).toBe(33);
    expect(missingIn(NOTHING_COVERED, { generation: 1, bytes: 43 }, KEPT_MAX)).toBe(43);
  });

  it('is none when all is there, also when more came than was counted', () => {
    const { coverage } = readAll([piece(0, 43)]);
    expect(missingIn(coverage, { generation: 1, bytes: 43 }, KEPT_MAX)).toBe(0);
    expect(missingIn(coverage, { generation: 1, bytes: 10 }, KEPT_MAX)).toBe(0);
  });

  it('does not count what no node keeps', () => {
    const { coverage } = readAll([piece(0, 20)]);
    expect(missingIn(coverage, { generation: 1, bytes: 43 }, 20)).toBe(0);
  });

  it('is counted over all generations', () => {
    const { coverage } = readAll([piece(2, 10), piece(0, 4, 2)]);
    expect(missingIn(coverage, { generation: 2, bytes: 9 }, KEPT_MAX)).toBe(7);
  });
});
