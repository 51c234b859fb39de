import { beforeEach, describe, expect, it } from '@jest/globals';
import type { StrictSpawnAnswer } from '#contracts';
import type { StrictInvokeRequest } from '#contracts/requests';
import { CALLER, SpawnWorld, idOfKey } from './spawn.world.fixture.js';

/** Calls at once under one key. */
const CALLS = 50;
const OTHER_CALLER = { ...CALLER, principal: 'agent:other' };

const answered = async (called: ReturnType<SpawnWorld['call']>): Promise<StrictSpawnAnswer> => {
  const answer = await called;
  if (answer === null || typeof answer === 'string')
    throw new Error(`it was answered with ${String(answer)}`);
  return answer;
};

let world: SpawnWorld;
let first: StrictSpawnAnswer;
beforeEach(async () => {
  world = await SpawnWorld.start();
  first = await answered(world.call('one', 'invoke'));
});

describe('a repeat under a key', () => {
  it.each<[string, Partial<StrictInvokeRequest>]>([
    ['node, by its id (the twin)', { node_id: 'twin' }],
    ['node, by its name', { node_name: 'elsewhere' }],
    ['agent', { agent_name: 'another' }],
    ['harness', { harness: 'another' }],
    ['task', { task: 'another' }],
    ['directory', { directory: '/another' }],
    ['demand for readiness', { verify_ready: true }],
  ])('with another %s is refused, and changes nothing (@SP-17)', async (_what, request) => {
    const before = await world.eventsOf('one');
    for (const route of ['invoke', 'replay'] as const)
      expect(await world.call('one', route, null, { request })).toBe('idempotency_conflict');
    expect(await world.eventsOf('one')).toEqual(before);
    expect(world.frames.size).toBe(1);
    expect(await world.slotsOf('twin')).toBe(0);
    expect(await answered(world.call('one', 'invoke'))).toEqual({ ...first, replayed: true });
  });

  it.each(['invoke', 'replay'] as const)(
    'whose agent comes to work elsewhere is the same call, by %s (@SP-16)',
    async (route) => {
      const again = world.call('one', route, null, { request: { worker_cwd: '/elsewhere' } });
      expect(await answered(again)).toEqual({ ...first, replayed: true });
      expect(world.frames.size).toBe(1);
    },
  );

  it('of another caller is a claim of its own, and neither moves the other (@SP-18)', async () => {
    const before = await world.eventsOf('one');
    const other = await answered(world.call('one', 'invoke', null, { caller: OTHER_CALLER }));
    expect(other.replayed).toBe(false);
    expect(other.value.invocation_id).toBe(idOfKey('one', OTHER_CALLER));
    expect(other.value.invocation_id).not.toBe(first.value.invocation_id);
    expect(await world.eventsOf('one')).toEqual(before);
    expect(await world.slotsOf('named')).toBe(2);
  });

  it.each([
    ['caller', OTHER_CALLER],
    ['workspace', { ...CALLER, workspace: 'other' }],
  ])('replayed by another %s looks like one that nobody used (@SP-70)', async (_what, caller) => {
    const foreign = await world.call('one', 'replay', null, { caller });
    expect(foreign).toBe('invocation_not_found');
    expect(await world.call('never', 'replay')).toBe(foreign);
  });

  it('of another workspace finds no node of this one, and claims nothing (@SP-19)', async () => {
    const caller = { ...CALLER, workspace: 'other' };
    expect(await world.call('one', 'invoke', null, { caller })).toBe('node_not_found');
    expect(world.frames.size).toBe(1);
  });
});

describe('the name of an agent', () => {
  it('under a new key is a new spawn, and the old key goes on answering with the old one (@SP-20)', async () => {
    const request = { agent_name: 'agent-one' };
    const second = await answered(world.call('two', 'invoke', null, { request }));
    expect(second.replayed).toBe(false);
    expect(second.value.invocation_id).not.toBe(first.value.invocation_id);
    expect(await answered(world.call('one', 'invoke'))).toEqual({ ...first, replayed: true });
  });
});

/** Of a spawn: each token that its events, or its place, ever had. */
const tokensOf = async (key: string): Promise<Set<unknown>> => {
  const events = await world.eventsOf(key);
  const { slots } = await world.nodeState('named');
  return new Set([
    ...events.flatMap(({ data }) => ('token' in data ? [data.token] : [])),
    slots.held[idOfKey(key)]?.token,
  ]);
};

describe('the token of a placement', () => {
  it('is minted with the claim, and is that of the place and of the dispatch (@SP-36)', async () => {
    const [token, ...others] = await tokensOf('one');
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(others).toEqual([]);
  });

  it('is another one for each spawn (@SP-36)', async () => {
    await answered(world.call('two', 'invoke'));
    expect(await tokensOf('two')).not.toEqual(await tokensOf('one'));
  });
});

describe('many calls at once under one key', () => {
  it('are one claim, one place and one frame; whoever is answered has one id (@SP-44)', async () => {
    const calls = Array.from({ length: CALLS }, (_, index) =>
      world.call('two', index % 3 === 2 ? 'replay' : 'invoke'),
    );
    const answers = (await Promise.all(calls)).filter((answer) => typeof answer === 'object');
    expect(new Set(answers.map((answer) => answer?.value.invocation_id))).toEqual(
      new Set([idOfKey('two')]),
    );
    const types = (await world.eventsOf('two')).map(({ type }) => type);
    expect(types).toEqual(['SpawnClaimed', 'SpawnPlacementIntended', 'SpawnDispatched']);
    expect(world.frames.size).toBe(2); // One of each key.
    expect(await world.slotsOf('named')).toBe(2);
    expect(answers.filter((answer) => answer?.replayed === false)).toHaveLength(1);
  });
});
