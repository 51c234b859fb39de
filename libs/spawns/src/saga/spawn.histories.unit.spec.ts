import { describe, expect, it } from '@jest/globals';
import { violationsOf } from './spawn.histories.fixture.js';
import type { Sabotage, SpawnWorld } from './spawn.world.fixture.js';
import type { SpawnPorts } from './index.js';

/** Histories in all, and in one test: a failing one names the seed that repeats it. */
const HISTORIES = 1_000;
const IN_ONE_TEST = 100;
/** A missing rule shows within so many of them. */
const SABOTAGED_MAX = 200;

const found = async (from: number, count: number, sabotage?: Sabotage): Promise<string[]> => {
  const all: string[] = [];
  for (let seed = from; seed < from + count; seed += 1)
    all.push(
      ...(await violationsOf(seed, sabotage)).map((what) => `seed ${String(seed)}: ${what}`),
    );
  return all;
};

describe('strict spawns whose movers die at random places', () => {
  it.each(Array.from({ length: HISTORIES / IN_ONE_TEST }, (_, part) => part * IN_ONE_TEST))(
    '@SP-55 @SP-44 @SP-33 @SP-51 start one agent each at most, and give their places back: seeds from %i',
    async (from) => {
      expect(await found(from, IN_ONE_TEST)).toEqual([]);
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

/** What the first history that breaks something breaks. */
const firstFound = async (sabotage: Sabotage): Promise<string> => {
  for (let seed = 0; seed < SABOTAGED_MAX; seed += 1) {
    const [first] = await found(seed, 1, sabotage);
    if (first !== undefined) return first;
  }
  return 'nothing';
};

describe('the same histories without one of the rules', () => {
  it.each<[string, Sabotage, RegExp]>([
    ['without compare-and-set a spawn is dispatched twice', { ports: withoutCompare }, /times/],
    ['without a look at the agent its place is held', { ports: withoutEnds }, /places are held/],
    ['with a frame that is sent under another number', { ports: resends }, /frames/],
    ['with a journal that forgets, the answer is not true', { nodeForgets: true }, /was started/],
  ])('%s', async (_what, sabotage, sign) => {
    expect(await firstFound(sabotage)).toMatch(sign);
  });
});
