import { describe, expect, it } from '@jest/globals';
import { isRunning, parseStat } from './process-identity.js';

const stat = (name: string, state = 'S'): string =>
  `4711 (${name}) ${state} 12 34 56 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 74083 3133440 381 18446744073709551615 1 2`;
const expected = { pid: 4711, state: 'S', parent: 12, group: 34, session: 56, startTicks: 74083 };

describe('the process table entry', () => {
  it.each(['node', 'a b c', 'evil) S 1 1 1', ') (', 'tmux: server'])(
    'is read whatever the program calls itself: %s',
    (name) => expect(parseStat(stat(name))).toEqual(expected),
  );

  it.each(['', 'garbage', '12 (x'])('that is cut short is no process: %j', (text) =>
    expect(parseStat(text)).toBeUndefined(),
  );

  it.each([
    ['S', true],
    ['R', true],
    ['D', true],
    ['T', true],
    ['Z', false],
    ['X', false],
  ])('of state %s means running: %s', (state, running) =>
    expect(isRunning({ ...expected, state })).toBe(running),
  );
});
