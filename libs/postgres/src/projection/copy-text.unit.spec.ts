import { describe, expect, it } from '@jest/globals';
import { copyChunks, copyText } from './copy-text.js';

describe('a value in the text format of COPY', () => {
  it.each([
    ['text', 'plain ä 🙂', 'plain ä 🙂'],
    ['text', 'tab\t line\n return\r back\\', 'tab\\t line\\n return\\r back\\\\'],
    ['text', '\\N', '\\\\N'],
    ['text', '', ''],
    ['text', 'nul \u0000, half \ud800', 'nul \ufffd, half \ufffd'],
    ['text', 7, '7'],
    ['text', undefined, '\\N'],
    ['integer', 1e300, '2147483647'],
    ['integer', NaN, '\\N'],
    ['bigint', 9_007_199_254_740_991, '9007199254740991'],
    ['boolean', false, 'false'],
    ['time', 1_764_400_000_007, '2025-11-29T07:06:40.007Z'],
    ['json', { a: ['\t\\'] }, '{"a":["\\\\t\\\\\\\\"]}'],
    ['json', null, '\\N'],
  ] as const)('%s: %p is %p', (kind, value, text) => {
    expect(copyText(kind, value)).toBe(text);
  });
});

describe('lines for COPY', () => {
  it('become fewer texts, and the same in all', () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `${n}`.repeat(100) + '\n');
    const chunks = [...copyChunks(lines)];
    expect(chunks.join('')).toBe(lines.join(''));
    expect(chunks.length).toBeLessThan(10);
    expect([...copyChunks([])]).toEqual([]);
  });
});
