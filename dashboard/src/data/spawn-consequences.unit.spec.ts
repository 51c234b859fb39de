import { describe, expect, it } from '@jest/globals';
import { SPAWN_RESOLUTIONS } from '#spawns/contract';
import {
  consequencesOfAgentStop,
  consequencesOfDecision,
  waysOn,
  type SpawnDecision,
} from './spawn-consequences.js';
import { spawn, unknownSpawn } from './spawn.fixture.js';

const ALIVE = { liveness: 'alive', membership: 'member' } as const;
const SILENT = { liveness: 'silent', membership: 'member' } as const;
const LEFT = { liveness: 'alive', membership: 'left' } as const;
const deciding = (
  as: SpawnDecision | null,
  node: typeof ALIVE | typeof SILENT | undefined = ALIVE,
) => consequencesOfDecision(unknownSpawn({ agent: 'alive' }), as, node).join(' ');

describe('the ways on from an agent that may be alive', () => {
  it('are to stop it, or to free its place', () =>
    expect(waysOn(unknownSpawn()).map(({ as }) => as)).toEqual(['stop', 'free']));

  it('have adopting it among them once it was seen alive: all that the server knows', () =>
    expect(waysOn(unknownSpawn({ agent: 'alive' })).map(({ as }) => as)).toEqual([
      ...SPAWN_RESOLUTIONS,
    ]));
});

describe('what a decision on a spawn does, as it is said before', () => {
  it('is recorded, starts nothing, and leaves the caller’s answer as it is', () => {
    for (const as of [null, ...SPAWN_RESOLUTIONS]) {
      expect(deciding(as)).toContain('recorded with your name and your note');
      expect(deciding(as)).toContain('keeps the answer that it failed as spawn_outcome_unknown');
      expect(deciding(as)).toContain('starts nothing again');
    }
  });

  it('as stop: signals, and a place that is held until there is proof', () => {
    expect(deciding('stop')).toContain('polite signal');
    expect(deciding('stop')).toContain('stays taken until the node proves');
    expect(deciding('stop')).toContain('a stop undoes nothing');
  });

  it('as stop of one whose node is away: it is kept', () => {
    expect(deciding('stop', SILENT)).toContain('reaches the node when it is back');
    expect(deciding('stop', SILENT)).not.toContain('polite signal');
    expect(deciding('stop', undefined)).toContain('polite signal');
  });

  it('as adopt: it goes on and holds its place, and can be stopped later', () => {
    expect(deciding('adopt')).toContain('holds its place on node n1 until it ends by itself');
    expect(deciding('adopt')).toContain('decide to stop it later');
  });

  it('as free: more agents than places, and no way back', () => {
    expect(deciding('free')).toContain('more agents than places');
    expect(deciding('free')).toContain('can be neither stopped nor adopted');
  });

  it('says that there is nothing to decide once it is settled', () =>
    expect(consequencesOfDecision(unknownSpawn({ agent: 'ended' }), 'free', ALIVE)).toEqual([
      'What became of it is settled by now. There is nothing left to decide.',
    ]));
});

describe('what a stop of an agent does, as it is said before', () => {
  const stopping = (...given: Parameters<typeof consequencesOfAgentStop>): string =>
    consequencesOfAgentStop(...given).join(' ');

  it('is signals, a place that is free with proof, and a spawn that stays completed', () => {
    expect(stopping(spawn(), ALIVE)).toContain('polite signal');
    expect(stopping(spawn(), ALIVE)).toContain('free once the node has proven that it ended');
    expect(stopping(spawn(), ALIVE)).toContain('the spawn remains completed');
  });

  it.each([SILENT, LEFT])('waits for a node that is away', (node) =>
    expect(stopping(spawn(), node)).toContain('reaches the node when it is back'),
  );

  it.each([
    [spawn({ agent: 'ended' }), 'Its agent has ended.'],
    [spawn({ stop: { stopId: 's', requestedAt: 't', reason: 'r' } }), 'being stopped already'],
    [spawn({ status: 'pending', agent: 'none' }), 'no agent that is known to have been started'],
    [unknownSpawn(), 'no agent that is known to have been started'],
  ])('%#: is nothing where there is none to stop', (view, words) =>
    expect(stopping(view, ALIVE)).toContain(words),
  );
});
