import { describe, expect, it } from '@jest/globals';
import { ago, bytes, duration, fields, plain, table } from './text.js';

describe('text for people', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_200_000, '2 h'],
    [172_800_000, '2 d'],
    [-5, '0 ms'],
  ])('says %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

  it('says when nothing happened', () => expect(ago(null, 0)).toBe('–'));

  it.each([
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [16 * 1_048_576, '16.0 MiB'],
  ])('says %i bytes as %s', (count, text) => expect(bytes(count)).toBe(text));

  it('aligns columns by what a terminal shows, not by characters', () => {
    expect(
      table(
        ['A', 'B'],
        [
          ['日本', '1'],
          ['e\u0301x', '2'],
          ['🚀', '3'],
        ],
      ),
    ).toBe(['A     B', '日本  1', 'e\u0301x    2', '🚀    3', ''].join('\n'));
  });

  it('leaves out fields that are not there', () => {
    expect(
      fields([
        ['one', '1'],
        ['longer', null],
        ['two', '2'],
      ]),
    ).toBe('one  1\ntwo  2\n');
  });

  it('shows control and direction characters as dots', () => {
    expect(plain('a\u001b[31m\r\n\u202eb')).toBe('a·[31m···b');
  });
});
