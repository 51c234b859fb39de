import { beforeEach, describe, expect, it } from '@jest/globals';
import type { StrictSpawnAnswer } from '#contracts';
import type { StrictInvokeRequest } from '#contracts/requests';
import { CALLER, SpawnWorld, idOfKey } from './spawn.world.fixture.js';

/** Calls at once under one key. */
const CALLS = 50;
const OTHER_CALLER = { ...CALLER, principal: 'agent:other' };
const OTHER_WORKSPACE = { ...CALLER, workspace: 'other' };
const OTHER_BOTH = { ...OTHER_WORKSPACE, principal: OTHER_CALLER.principal };
const CLAIMED_AND_SENT = ['SpawnClaimed', 'SpawnPlacementIntended', 'SpawnDispatched'];

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

  it.each([
    ['caller (@SP-18)', OTHER_CALLER, [2, 0]],
    ['workspace (@SP-19)', OTHER_WORKSPACE, [1, 1]],
    ['caller of another workspace (@SP-18, @SP-19)', OTHER_BOTH, [1, 1]],
  ])(
    'of another %s is a claim of its own, and neither touches a commit of the other',
    async (_what, caller, places) => {
      await world.join(OTHER_WORKSPACE.workspace);
      const before = await world.commitsOf('one');
      const other = await answered(world.call('one', 'invoke', null, { caller }));
      expect([other.replayed, other.value.status]).toEqual([false, 'dispatched']);
      expect(other.value.invocation_id).toBe(idOfKey('one', caller));
      expect(other.value.invocation_id).not.toBe(first.value.invocation_id);
      expect(await world.commitsOf('one')).toEqual(before);
      const made = await world.commitsOf('one', caller);
      expect(made.flatMap(({ events }) => events.map(({ type }) => type))).toEqual(
        CLAIMED_AND_SENT,
      );
      expect([await world.slotsOf('named'), await world.slotsOf('named', 'other')]).toEqual(places);
      // Both go on answering with their own, and write nothing.
      for (const route of ['invoke', 'replay'] as const) {
        expect(await answered(world.call('one', route))).toEqual({ ...first, replayed: true });
        const again = await answered(world.call('one', route, null, { caller }));
        expect(again).toEqual({ ...other, replayed: true });
      }
      expect(await world.commitsOf('one')).toEqual(before);
      expect(await world.commitsOf('one', caller)).toEqual(made);
      expect(world.frames.size).toBe(2);
    },
  );

  it.each([
    ['caller', OTHER_CALLER],
    ['workspace', OTHER_WORKSPACE],
  ])('replayed by another %s looks like one that nobody used (@SP-70)', async (_what, caller) => {
    const foreign = await world.call('one', 'replay', null, { caller });
    expect(foreign).toBe('invocation_not_found');
    expect(await world.call('never', 'replay')).toBe(foreign);
  });

  it('of another workspace finds no node of this one, and claims nothing (@SP-19)', async () => {
    const before = await world.commitsOf('one');
    const made = world.events.length;
    const otherwise = { caller: OTHER_WORKSPACE };
    expect(await world.call('one', 'invoke', null, otherwise)).toBe('node_not_found');
    expect(await world.commitsOf('one')).toEqual(before);
    expect([world.events.length, world.frames.size]).toEqual([made, 1]);
  });
});

describe('the name of an agent', () => {
  it('under a new key is a new spawn, and the old key goes on answering with the old one (@SP-20)', async () => {
    const before = await world.commitsOf('one');
    const request = { agent_name: 'agent-one' };
    const second = await answered(world.call('two', 'invoke', null, { request }));
    expect(second.replayed).toBe(false);
    expect(second.value.invocation_id).toBe(idOfKey('two'));
    expect(second.value.invocation_id).not.toBe(first.value.invocation_id);
    const names = [...world.frames.values()].map(({ runId, agent }) => [runId, agent]);
    expect(names).toEqual([
      [idOfKey('one'), 'agent-one'],
      [idOfKey('two'), 'agent-one'],
    ]);
    expect(await answered(world.call('one', 'invoke'))).toEqual({ ...first, replayed: true });
    expect(await world.commitsOf('one')).toEqual(before);
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
    expect(types).toEqual(CLAIMED_AND_SENT);
    expect(world.frames.size).toBe(2); // One of each key.
    expect(await world.slotsOf('named')).toBe(2);
    expect(answers.filter((answer) => answer?.replayed === false)).toHaveLength(1);
  });
});
