import { describe, expect, it } from '@jest/globals';
import { isAgentStoppable, isUndecided, spawnStory, standingOf } from './spawn-status.js';
import { spawn, unknownSpawn } from './spawn.fixture.js';

describe('how a spawn stands', () => {
  it.each([
    [spawn({ status: 'pending' }), 'pending', 'queued'],
    [spawn({ status: 'dispatched' }), 'dispatched', 'dispatched'],
    [spawn(), 'completed', 'completed'],
    [spawn({ status: 'failed', code: 'never_received' }), 'failed', 'failed'],
    [unknownSpawn(), 'failed, not known', 'unknown'],
  ] as const)('%#: is told by word and colour', (view, word, colour) =>
    expect(standingOf(view)).toMatchObject({ word, colour }),
  );

  it('has another sign for each colour', () => {
    const signs = [
      spawn({ status: 'pending' }),
      spawn({ status: 'dispatched' }),
      spawn(),
      spawn({ status: 'failed', code: 'never_received' }),
      unknownSpawn(),
    ].map((view) => standingOf(view).sign);
    expect(new Set(signs).size).toBe(signs.length);
  });
});

describe('the story of a spawn', () => {
  it.each([
    [
      spawn({ status: 'pending', agent: 'none', waitsFor: 'a free slot on node seven' }),
      'waits for a free slot on node seven',
    ],
    [spawn(), 'its agent is alive'],
    [spawn({ agent: 'ended' }), 'its agent has ended'],
    [
      spawn({ status: 'failed', code: 'never_dispatched_expired', agent: 'none' }),
      'it was never sent, for too long: certainly nothing was started',
    ],
    [
      unknownSpawn(),
      'nobody could say whether its agent was started; its agent may be alive; waits for its node to come back, or an operator',
    ],
  ])('%#: says what it waits for, or how it ended', (view, story) =>
    expect(spawnStory(view)).toBe(story),
  );
});

describe('a decision on a spawn', () => {
  it('is open while its agent may be alive, also after another one', () => {
    expect(isUndecided(unknownSpawn())).toBe(true);
    expect(isUndecided(unknownSpawn({ agent: 'alive' }))).toBe(true);
    const decision = { note: 'x', actor: 'user:ada', at: 't' };
    expect(isUndecided(unknownSpawn({ resolution: { ...decision, as: 'stop' } }))).toBe(true);
    expect(isUndecided(unknownSpawn({ resolution: { ...decision, as: 'free' } }))).toBe(false);
  });

  it('is none where no agent lives, or where all is known', () => {
    expect(isUndecided(unknownSpawn({ agent: 'none' }))).toBe(false);
    expect(isUndecided(unknownSpawn({ agent: 'ended' }))).toBe(false);
    expect(isUndecided(spawn())).toBe(false);
    expect(isUndecided(spawn({ status: 'failed', code: 'never_received' }))).toBe(false);
  });
});

describe('a stop of an agent', () => {
  it('is offered once, while there is one', () => {
    expect(isAgentStoppable(spawn())).toBe(true);
    expect(isAgentStoppable(spawn({ agent: 'ended' }))).toBe(false);
    expect(isAgentStoppable(spawn({ status: 'dispatched', agent: 'none' }))).toBe(false);
    expect(isAgentStoppable(unknownSpawn({ agent: 'alive' }))).toBe(false);
    const stop = { stopId: 's', requestedAt: 't', reason: 'r' };
    expect(isAgentStoppable(spawn({ stop }))).toBe(false);
  });
});
