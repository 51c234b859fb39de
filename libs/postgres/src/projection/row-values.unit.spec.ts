import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitting, toStorableJson } from './row-values.js';

describe('a value for a column', () => {
  it.each([
    ['integer', 7, 7],
    ['integer', 1.9, 1],
    ['integer', 1e300, 2_147_483_647],
    ['integer', -1e300, -2_147_483_647],
    ['integer', NaN, null],
    ['integer', 'seven', null],
    ['bigint', 1e300, Number.MAX_SAFE_INTEGER],
    ['bigint', 9_007_199_254_740_991, 9_007_199_254_740_991],
    ['time', 0, '1970-01-01T00:00:00.000Z'],
    ['time', 1_764_400_000_123, '2025-11-29T07:06:40.123Z'],
    ['time', 8_640_000_000_000_000, null],
    ['time', NaN, null],
    ['time', '2026-01-01', null],
    ['text', 'as it is', 'as it is'],
    ['boolean', false, false],
    ['json', { a: [1] }, { a: [1] }],
    ['text', undefined, null],
    ['json', null, null],
  ] as const)('%s: %p is kept as %p', (kind, value, kept) => {
    expect(fitting(kind, value)).toEqual(kept);
  });
});

describe('a moment', () => {
  it('is the text that a date has, whichever was asked for before', () => {
    const moment = fc.oneof(
      fc.double({ min: -62_135_596_800_000, max: 253_402_300_799_999, noNaN: true }),
      fc.integer({ min: -2_000, max: 2_000 }),
    );
    fc.assert(
      fc.property(moment, (ms) => {
        expect(fitting('time', ms)).toBe(new Date(ms).toISOString());
      }),
    );
  });
});

describe('JSON for Postgres', () => {
  it('is what it was when Postgres can hold it', () => {
    const value = { text: 'ä 🙂 " \\u0000 \\ud800', list: [1, null, true] };
    expect(JSON.parse(toStorableJson(value))).toEqual(value);
  });

  it('holds no character that Postgres can not, whatever it was made of', () => {
    const text = fc.string({ unit: 'binary' });
    const halves = fc.constantFrom('\u0000', '\ud800', '\udfff', 'a\ud83d', '\ude42b', '🙂');
    fc.assert(
      fc.property(fc.array(fc.oneof(text, halves)), fc.oneof(text, halves), (list, key) => {
        const parsed: unknown = JSON.parse(toStorableJson({ [key]: list }));
        const all = JSON.stringify(parsed);
        expect(all).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        expect(Object.values(parsed as object)[0]).toHaveLength(list.length);
      }),
    );
  });
});
