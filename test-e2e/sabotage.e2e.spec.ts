import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { chanceOf } from './support/faults.js';
import { Fixture } from './support/fixture.js';
import { killRound } from './support/round.js';
import { brokenChains } from './support/stream.js';
import {
  sabotagedBuild,
  WITHOUT_THE_CLAIM,
  WITHOUT_THE_EXPECTED_SEQUENCE,
  type Sabotage,
} from './support/sabotage.js';

const ROUNDS_MAX = 5;
/** Submissions at once to one session; its queue takes a hundred. */
const CROWD = 20;
const CROWDS_MAX = 5;

const withSabotage = async (
  sabotage: Sabotage,
  look: (fixture: Fixture) => Promise<void>,
): Promise<void> => {
  const { checkout, remove } = await sabotagedBuild(sabotage);
  const fixture = await Fixture.start({ checkout, replicas: { commands: 2 } });
  try {
    await look(fixture);
  } finally {
    await fixture.destroy();
    await remove();
  }
};

/** The checks of the killed system, turned on systems that are broken: they must find it. */
describe('a build with a rule taken out is caught (negative control)', () => {
  it(
    'without the claim',
    () =>
      withSabotage(WITHOUT_THE_CLAIM, async (fixture) => {
        const { runId } = await fixture.client.submit('ledger', 'say:unclaimed');
        await waitUntil(
          'its program to start',
          async () => (await fixture.initials(runId)) > 0,
          30_000,
        );
        // It ran, and its run was never claimed: taken back and dispatched again, over and over.
        await waitUntil(
          'the run to be taken back although it ran',
          async () =>
            (await fixture.stream.run(runId)).some(({ type }) => type === 'RunDispatchRevoked'),
          60_000,
        );
        const violations: string[] = [];
        for (let round = 1; round <= ROUNDS_MAX && violations.length === 0; round += 1)
          violations.push(...(await killRound(fixture, chanceOf(round))).violations);
        expect(violations).not.toEqual([]);
      }),
    300_000,
  );

  it(
    'without the expected sequence',
    () =>
      withSabotage(WITHOUT_THE_EXPECTED_SEQUENCE, async (fixture) => {
        const opener = await fixture.client.submit('ledger', 'work:100');
        // A broken system need not answer: each is asked once, and whether it does is not what is looked for.
        const crowd = (): Promise<unknown> =>
          Promise.allSettled(
            Array.from({ length: CROWD }, () =>
              fixture.client.post(
                '/v1/submissions',
                { agent: 'ledger', prompt: 'work:100', session: opener.sessionId },
                randomUUID(),
              ),
            ),
          );
        // Two processes decide side by side only now and then: crowd after crowd until they have.
        let broken: readonly string[] = [];
        for (let round = 1; round <= CROWDS_MAX && broken.length === 0; round += 1) {
          await crowd();
          broken = brokenChains(await fixture.stream.all());
        }
        expect(broken).toContainEqual(expect.stringContaining('session.'));
      }),
    300_000,
  );
});
