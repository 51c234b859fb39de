import { describe, expect, it } from '@jest/globals';
import type { SpawnView } from '#contracts';
import type { SpawnEvent } from '../domain/index.js';
import {
  CLAIMED,
  COMPLETED,
  PENDING,
  RELEASING,
  UNKNOWN,
  agentStopRequested,
  resolved,
  seenAlive,
  seenGone,
} from '../domain/spawn.fixture.js';
import { projectSpawn, type SpawnRow } from '../projection/index.js';
import { toSpawnView } from './spawn-view.js';

const viewOf = (events: readonly SpawnEvent[], over: Partial<SpawnRow> = {}): SpawnView => {
  const row = events.reduce<SpawnRow | undefined>(
    (before, event, index) =>
      projectSpawn(before, event, { workspace: 'main', sequence: index + 1 }),
    undefined,
  );
  if (row === undefined) throw new Error('the history does not begin with a claim');
  return toSpawnView({ ...row, ...over }, 'something');
};

describe('a spawn as callers see it', () => {
  it('is whole', () => {
    expect(viewOf(CLAIMED, { slot: 'reserved' })).toStrictEqual({
      spawnId: 'spawn-1',
      kind: 'strict',
      agentName: 'agent-1',
      harness: 'claude',
      status: 'dispatched',
      code: null,
      waitsFor: 'something',
      nodeId: 'node-1',
      nodeName: 'builder',
      capabilities: [],
      directory: null,
      workerCwd: null,
      verifyReady: false,
      requestedBy: 'principal-1',
      claimedAt: '1970-01-01T00:00:01.000Z',
      dispatchedAt: '1970-01-01T00:00:01.000Z',
      retryAfterAt: '1970-01-01T00:00:32.000Z',
      settledAt: null,
      updatedAt: '1970-01-01T00:00:01.000Z',
      round: 1,
      generation: 1,
      slot: 'reserved',
      agent: 'none',
      stop: null,
      unknown: null,
      resolution: null,
      lateEvidence: 0,
      alarming: false,
      sequence: 4,
    });
  });

  it('knows of no state that is between its node and nobody', () => {
    expect(viewOf(RELEASING).status).toBe('pending');
    expect(viewOf(CLAIMED).status).toBe('dispatched');
  });

  it('says who asked for the end of its agent, and who decided about it', () => {
    expect(viewOf([...COMPLETED, agentStopRequested]).stop).toStrictEqual({
      stopId: 'stop-1',
      requestedAt: '1970-01-01T00:00:01.000Z',
      reason: 'enough',
    });
    expect(viewOf([...UNKNOWN, resolved('free')]).resolution).toStrictEqual({
      as: 'free',
      note: 'looked',
      actor: 'principal-2',
      at: '1970-01-01T00:00:01.000Z',
    });
  });

  it('shows what is not known of it, while it is not', () => {
    const { unknown } = viewOf(UNKNOWN);
    expect(unknown).toStrictEqual({
      reason: 'silence',
      witness: 'saga',
      since: '1970-01-01T00:00:01.000Z',
      lastHeardAt: '1970-01-01T00:00:00.900Z',
      advice: expect.stringMatching(/^An agent may be alive on node builder\./),
    });
    expect(viewOf([...UNKNOWN, seenGone]).unknown).toBeNull();
    expect(viewOf([...UNKNOWN, seenGone]).code).toBe('spawn_outcome_unknown');
  });
});

describe('the advice about a spawn whose outcome is not known', () => {
  const adviceAfter = (...events: readonly SpawnEvent[]): string =>
    viewOf([...UNKNOWN, ...events]).unknown?.advice ?? '';

  it('names the three ways on, and warns of a second agent', () => {
    for (const part of [/stop it/, /adopt it/, /free the place/, /may start a second one/])
      expect(adviceAfter()).toMatch(part);
  });

  it('offers what fits an agent that was seen alive', () => {
    expect(adviceAfter(seenAlive)).toBe(
      'Its agent is alive on node builder, and works. Stop it, or adopt it: then it keeps its place until it ends.',
    );
  });

  it('says what follows from a stop', () => {
    expect(adviceAfter(resolved('stop'))).toMatch(/^It is to be stopped/);
  });
});

describe('the agent of a spawn', () => {
  it.each([
    ['none', PENDING, {}],
    ['none', CLAIMED, {}],
    ['alive', COMPLETED, {}],
    ['ended', COMPLETED, { agent: 'ended' }],
    ['maybe', UNKNOWN, {}],
    ['alive', [...UNKNOWN, seenAlive], {}],
    ['none', [...UNKNOWN, seenGone], {}],
    ['ended', [...UNKNOWN, seenGone], { agent: 'ended' }],
    ['maybe', [...UNKNOWN, resolved('free')], {}],
  ] as const)('is %s', (agent, events, over) => expect(viewOf(events, over).agent).toBe(agent));
});
