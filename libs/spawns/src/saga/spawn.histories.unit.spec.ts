import { describe, expect, it } from '@jest/globals';
import { RuleViolation } from '#kernel';
import type { SlotReservation } from '#nodes/contract';
import type { NodeEvent } from '#nodes/domain';
import { live } from './spawn.histories.fixture.js';
import type { Sabotage, SpawnWorld } from './spawn.world.fixture.js';
import { HARNESS } from './strict-requests.fixture.js';
import type { SpawnPorts } from './index.js';

/** Histories in all, and in one test: a failing one names the seed that repeats it. */
const HISTORIES = 500;
const IN_ONE_TEST = 100;
/** So many processes die in each of the tests at least, and a thousand in all; it is about twice that. */
const DEATHS_MIN = 200;
/** A missing rule shows within so many of them. */
const SABOTAGED_MAX = 200;

const found = async (
  from: number,
  count: number,
  sabotage?: Sabotage,
): Promise<{ readonly violations: readonly string[]; readonly deaths: number }> => {
  const violations: string[] = [];
  let deaths = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const lived = await live(seed, sabotage);
    violations.push(...lived.violations.map((what) => `seed ${String(seed)}: ${what}`));
    deaths += lived.deaths;
  }
  return { violations, deaths };
};

describe('strict spawns whose movers die at random places', () => {
  it.each(Array.from({ length: HISTORIES / IN_ONE_TEST }, (_, part) => part * IN_ONE_TEST))(
    '@SP-55 @SP-44 @SP-33 @SP-43 @SP-51 start one agent each at most, have one place at a time, and give it back; processes really die: seeds from %i',
    async (from) => {
      const { violations, deaths } = await found(from, IN_ONE_TEST);
      expect(violations).toEqual([]);
      expect(deaths).toBeGreaterThanOrEqual(DEATHS_MIN);
    },
  );
});

/** Whoever dispatches does not look whether somebody else has: appends to whatever the spawn is by now. */
const withoutCompare = (ports: SpawnPorts): SpawnPorts => ({
  ...ports,
  spawns: {
    load: (workspace, id) => ports.spawns.load(workspace, id),
    append: async (spawn, command, by) => {
      const now = await ports.spawns.load(spawn.ref.workspace, spawn.ref.id);
      const blind = { ...now, state: spawn.state };
      return ports.spawns.append(blind, command, by);
    },
  },
});

/** Whoever frees places does not look whether the agent has ended. */
const withoutEnds = (ports: SpawnPorts): SpawnPorts => ({
  ...ports,
  agents: { standing: () => Promise.resolve('alive') },
});

/** What was sent before is sent again, under a number of its own. */
const resends = (ports: SpawnPorts, world: SpawnWorld): SpawnPorts => ({
  ...ports,
  lines: {
    ...ports.lines,
    ask: (workspace, node, ask) => ports.lines.ask(workspace, node, ask),
    publishFrame: (frame) =>
      ports.lines.publishFrame({ ...frame, generation: frame.generation + world.frames.size }),
  },
});

type Slots = SpawnPorts['slots'];
const withSlots = (ports: SpawnPorts, changed: Partial<Slots>): SpawnPorts => ({
  ...ports,
  slots: {
    look: (...asked) => ports.slots.look(...asked),
    holders: (...asked) => ports.slots.holders(...asked),
    reserve: (...order) => ports.slots.reserve(...order),
    release: (...order) => ports.slots.release(...order),
    occupy: (...order) => ports.slots.occupy(...order),
    ...changed,
  },
});

/** Writes into the stream of a node what nobody decided, after whatever stands there. */
const write = async (world: SpawnWorld, id: string, event: NodeEvent): Promise<void> => {
  const ref = { aggregate: 'node', workspace: 'main', id };
  const commits = await world.events.read(ref, { consistency: 'leader', ignoreSnapshots: true });
  await world.events.append({
    ref,
    expected: commits.at(-1)?.revision ?? 0,
    commandId: `written/${String(world.events.length)}`,
    events: [event],
    metadata: { command: 'Test', actor: 'test' },
  });
};
const reserved = (world: SpawnWorld, nodeId: string, order: SlotReservation): NodeEvent => ({
  type: 'SlotReserved',
  data: { nodeId, at: world.now, ...order },
});
const givenBack = ({ spawnId, round, until }: SlotReservation) => ({
  spawnId,
  round,
  until,
  reason: 'a test says so',
});

/** Whoever reserves does not count. In the end all is given back. */
const withoutCount = (ports: SpawnPorts, world: SpawnWorld): SpawnPorts =>
  withSlots(ports, {
    look: async (...asked) => ({ ...(await ports.slots.look(...asked)), free: 1 }),
    reserve: async (workspace, node, order, by) => {
      try {
        await ports.slots.reserve(workspace, node, order, by);
      } catch (error) {
        if (!(error instanceof RuleViolation) || error.code !== 'node_full') throw error;
        await write(world, node, reserved(world, node, order));
      }
    },
  });

/** Whoever reserves does so on the twin too, and gives it back at once. */
const onTheTwin = (ports: SpawnPorts, { twin }: SpawnWorld): SpawnPorts =>
  withSlots(ports, {
    reserve: async (workspace, node, order, by) => {
      await ports.slots.reserve(workspace, node, order, by);
      await ports.slots.reserve(workspace, twin.id, order, by);
      await ports.slots.release(workspace, twin.id, givenBack(order), by);
    },
  });

/** Whoever reserves takes the place of the next round too; the one that it needs covers that up. */
const twoAtOnce = (ports: SpawnPorts, world: SpawnWorld): SpawnPorts =>
  withSlots(ports, {
    reserve: async (_workspace, node, order) => {
      await write(world, node, reserved(world, node, { ...order, round: order.round + 1 }));
      await write(world, node, reserved(world, node, order));
    },
  });

/** What was given back is reserved once more, in the round that it was given back for. */
const withoutFence = (ports: SpawnPorts, world: SpawnWorld): SpawnPorts =>
  withSlots(ports, {
    reserve: async (workspace, node, order, by) => {
      await ports.slots.reserve(workspace, node, order, by);
      await ports.slots.release(workspace, node, givenBack(order), by);
      await write(world, node, reserved(world, node, order));
    },
  });

/** Its node is never ready, and whoever moves it on never finds it too old. */
const withoutAge = (ports: SpawnPorts): SpawnPorts => ({
  ...ports,
  clock: { now: () => 0 },
  liveness: {
    judge: async (...asked) => ({
      ...(await ports.liveness.judge(...asked)),
      notReady: [HARNESS],
    }),
  },
});

/** What the first history that breaks something breaks. */
const firstFound = async (sabotage: Sabotage): Promise<readonly string[]> => {
  for (let seed = 0; seed < SABOTAGED_MAX; seed += 1) {
    const { violations } = await live(seed, sabotage);
    if (violations.length > 0) return violations;
  }
  return [];
};

describe('the same histories without one of the rules', () => {
  it.each<[string, Sabotage, RegExp]>([
    ['without compare-and-set a spawn is dispatched twice', { ports: withoutCompare }, /times/],
    ['without a look at the agent its place is held', { ports: withoutEnds }, /places are held/],
    ['with a frame that is sent under another number', { ports: resends }, /frames/],
    ['with a journal that forgets, the answer is not true', { nodeForgets: true }, /was started/],
    [
      'without a count of its places a node gives too many',
      { ports: withoutCount },
      /3 places of 2/,
    ],
    [
      'with a place on the twin, it is seen though it was given back',
      { ports: onTheTwin },
      /SlotReserved on twin/,
    ],
    [
      'with a second round beside the first, a spawn has two places',
      { ports: twoAtOnce },
      /second/,
    ],
    [
      'without a fence, a round is reserved again',
      { ports: withoutFence },
      /2 reservations in 1 rounds/,
    ],
    [
      'with a node that is never ready, a spawn waits although there is room',
      { ports: withoutAge },
      /still (pending|releasing), and there is room/,
    ],
    [
      'with a clock that stands still, a spawn waits for ever',
      { ports: withoutAge },
      /(pending|releasing) in the end/,
    ],
  ])('%s', async (_what, sabotage, sign) => {
    expect(await firstFound(sabotage)).toContainEqual(expect.stringMatching(sign));
  });

  it('with processes that cannot die, none is counted', async () => {
    expect((await live(0, { immortal: true })).deaths).toBe(0);
    expect((await live(0)).deaths).toBeGreaterThan(0);
  });
});
