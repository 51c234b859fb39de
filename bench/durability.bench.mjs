import { connectLink } from '#nats';
import { overNats } from './lib/callers.mjs';
import { carriedThrough } from './lib/carried-through.mjs';
import { durabilityOf } from './lib/results.mjs';
import { withSystem } from './lib/stack.mjs';

const ONE_BY_ONE = 200;
const TOGETHER = 2_000;
const AT_ONCE = 64;

/**
 * What it costs that every acknowledged write is on the disk: the same work by turns on this system, and on another one
 * whose broker syncs in the background.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const durability = async ({ system, submit, ledger, rounds }) => {
  const { survives, explanation } = await durabilityOf(system);
  if (survives !== 'power-loss') {
    console.error(`  nothing to compare: ${explanation}`);
    return;
  }
  const measure = async (/** @type {import('./lib/stack.mjs').System} */ relaxed) => {
    const link = await connectLink({ url: relaxed.stack.natsUrlFor('gateway'), name: 'caller' });
    const submitRelaxed = overNats(link, relaxed.stack.operatorToken);
    try {
      await work(relaxed, submitRelaxed); // To warm up.
      for (let round = 1; round <= rounds; round += 1) {
        const synced = await work(system, submit);
        const background = await work(relaxed, submitRelaxed);
        const against = 'writes synced in the background';
        ledger.add(
          'durability.accept.p50',
          {
            what: 'accepting a submission with every write synced, one in flight, p50',
            of: 'ms',
            against,
            goal: null,
          },
          { numerator: synced.p50, denominator: background.p50 },
        );
        ledger.add(
          'durability.runs.rate',
          { what: 'runs completed with every write synced', of: '/s', against, goal: null },
          { numerator: synced.rate, denominator: background.rate },
        );
      }
    } finally {
      await link.close();
    }
  };
  await withSystem(measure, { syncWrites: false });
};

/** @param {import('./lib/stack.mjs').System} system @param {import('./lib/callers.mjs').Submit} submit */
const work = async (system, submit) => {
  const { p50 } = await carriedThrough(system, submit, ONE_BY_ONE, 1);
  const { completedRate: rate } = await carriedThrough(system, submit, TOGETHER, AT_ONCE);
  return { p50, rate };
};
