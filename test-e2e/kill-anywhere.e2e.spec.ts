import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chanceOf } from './support/faults.js';
import { Fixture } from './support/fixture.js';
import { killRound } from './support/round.js';

/** Another seed is another set of moments and victims; a failure names the one to repeat. */
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 20_261_129);
const ROUNDS = 20;

describe(`killing anything at any moment (seed ${String(SEED)})`, () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start({
      behaviours: { loseAckedTurn: 0.1, abortWhenClientDies: 0.5, seed: SEED },
    });
  }, 120_000);
  afterAll(() => fixture.destroy(), 60_000);

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'round %i: nothing is lost, sent twice, or left running',
    async (round) => {
      const result = await killRound(fixture, chanceOf(SEED + round));
      expect(result).toEqual({ ...result, violations: [] });
    },
    180_000,
  );
});
