import { carriedThrough } from './lib/carried-through.mjs';
import { installPeers } from './peers/lib/install.mjs';
import { ROUNDS_MIN, measurePeers } from './peers/measure.mjs';

const JOBS = 2_000;
const AT_ONCE = 64;
const FOLDER = new URL('peers/', import.meta.url).pathname;

/** Those that are measured here, and how many times as many runs as theirs are aimed at. @type {Readonly<Record<string, number>>} */
const GOALS = { dbos: 2, 'pg-boss-notify': 1.5 };

/**
 * The same work by other programs, on the same database server and by turns: accept durably, do nothing, record the
 * outcome.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const peers = async ({ system, submit, ledger, rounds }) => {
  await installPeers(FOLDER);
  /** @type {number[]} */
  const ours = [];
  const measured = await measurePeers({
    jobs: JOBS,
    rounds: Math.max(rounds, ROUNDS_MIN),
    databaseUrl: system.stack.databaseUrl,
    only: Object.keys(GOALS),
    onProgress: ({ round, peer }) => console.error(`  round ${round + 1}: ${peer}`),
    alongside: async () => {
      const { completedRate } = await carriedThrough(system, submit, JOBS, AT_ONCE);
      ours.push(completedRate);
    },
  });
  for (const [peer, goal] of Object.entries(GOALS)) {
    const theirs = measured.rounds.filter((round) => round.peer === peer);
    theirs.forEach(({ rate }, round) =>
      ledger.add(
        `peer.${peer}.times`,
        {
          what: `runs completed and in the rows, against the jobs of ${peer}`,
          of: '/s',
          against: peer,
          goal: { atLeast: goal },
        },
        { numerator: ours[round] ?? Number.NaN, denominator: rate },
      ),
    );
  }
};
