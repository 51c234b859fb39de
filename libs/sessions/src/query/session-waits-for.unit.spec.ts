import { describe, expect, it } from '@jest/globals';
import { sessionWaitsFor } from './session-waits-for.js';

const waiting = { activeRunId: 'r0', queue: ['r1'] };

describe('what a session waits for', () => {
  it('is nothing while nobody queues', () => {
    const free = { activeRunId: 'r0', queue: [] };
    expect(sessionWaitsFor(free, { status: 'running', fenced: false })).toBeNull();
  });

  it.each([
    ['running', false, 'run r0, which holds the session'],
    ['queued', false, 'run r0, which holds the session'],
    ['dispatched', false, 'run r0, which holds the session'],
    ['stopping', false, 'run r0, which is being stopped'],
    [
      'unknown',
      false,
      'proof of what became of run r0, or an operator: its outcome is unknown, and it may still run',
    ],
    ['unknown', true, 'its place, which run r0 gives up: nothing of it runs any more'],
    ['completed', false, 'its place, which run r0 gives up: it is over'],
    ['failed', false, 'its place, which run r0 gives up: it is over'],
    ['stopped', false, 'its place, which run r0 gives up: it is over'],
    ['abandoned', false, 'its place, which run r0 gives up: it is over'],
  ] as const)('%s, fenced %p', (status, fenced, words) => {
    expect(sessionWaitsFor(waiting, { status, fenced })).toBe(words);
  });

  it('is its holder, when nothing is known of that one', () => {
    expect(sessionWaitsFor(waiting, undefined)).toBe('run r0, which holds the session');
  });
});
