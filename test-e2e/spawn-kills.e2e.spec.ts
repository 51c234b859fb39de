import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chanceOf } from './support/faults.js';
import { SpawnFixture } from './support/spawn-fixture.js';
import { IMPATIENT } from './support/spawn-nodes.js';
import { spawnRound } from './support/spawn-round.js';

/** Another seed is another set of moments and victims; a failure names the one to repeat. */
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 20_261_130);
const ROUNDS = 9;
const KILLS_MIN = 60;
/** Whoever decides on a spawn, starts its agent, or stores what was decided; and how many of those must have been killed. */
const DECISIVE: readonly string[] = ['commands', 'sagas', 'node-agent-n1', 'nats-server'];
const DECISIVE_MIN = 20;

describe(`killing anything while agents are spawned (seed ${String(SEED)})`, () => {
  let fixture: SpawnFixture;
  const killed: string[] = [];
  let completed = 0;
  beforeAll(async () => {
    fixture = await SpawnFixture.start(IMPATIENT);
  }, 120_000);
  afterAll(() => fixture?.destroy(), 60_000);

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'round %i: one order and one agent a key at most, on its node, and every place is given back @SP-51 @SP-55 @SP-80',
    async (round) => {
      const result = await spawnRound(fixture, chanceOf(SEED + round));
      killed.push(...result.killed);
      completed += result.statuses.filter((status) => status === 'completed').length;
      expect(result).toEqual({ ...result, violations: [] });
      await fixture.untilFree('n1');
    },
    180_000,
  );

  it(`found at least ${String(KILLS_MIN)} processes alive`, () => {
    expect(killed.length).toBeGreaterThanOrEqual(KILLS_MIN);
  });

  it(`found at least ${String(DECISIVE_MIN)} of those alive that decide, and each of them once`, () => {
    const decisive = killed.filter((name) => DECISIVE.includes(name));
    expect(decisive.length).toBeGreaterThanOrEqual(DECISIVE_MIN);
    expect(new Set(decisive)).toEqual(new Set(DECISIVE));
  });

  it('left agents started: one a round, taken together', () => {
    expect(completed).toBeGreaterThanOrEqual(ROUNDS);
  });
});
