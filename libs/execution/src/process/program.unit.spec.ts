import { describe, expect, it } from '@jest/globals';
import { endOfStatus, environmentOf } from './program.js';

describe('the end of a program', () => {
  it.each([
    [0, { kind: 'exited', code: 0 }],
    [3, { kind: 'exited', code: 3 }],
    [128, { kind: 'exited', code: 128 }],
    [143, { kind: 'exited', code: 143, signal: 'SIGTERM' }],
    [255, { kind: 'exited', code: 255 }],
  ])('with status %i', (status, end) => expect(endOfStatus(status, false)).toEqual(end));

  it('that could not be executed is no exit', () =>
    expect(endOfStatus(127, true)).toEqual({ kind: 'not-started', reason: 'unstartable' }));
});

describe('the environment of a program', () => {
  const own = {
    PATH: '/bin',
    HOME: '/h',
    NATS_URL: 'nats://user:secret@x',
    API_KEY: 'k',
    LC_ALL: 'C',
  };

  it('has nothing secret of the agent', () =>
    expect(environmentOf(own, [], {})).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C' }));

  it('has what the configuration names and adds, which wins', () =>
    expect(environmentOf(own, ['API_KEY', 'ABSENT'], { HOME: '/other', X: '1' })).toEqual({
      PATH: '/bin',
      HOME: '/other',
      LC_ALL: 'C',
      API_KEY: 'k',
      X: '1',
    }));

  it('always has a search path', () =>
    expect(environmentOf({}, [], {})).toEqual({ PATH: '/usr/local/bin:/usr/bin:/bin' }));
});
