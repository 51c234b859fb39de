import { carriedThrough } from './lib/carried-through.mjs';
import { allCompleted } from './lib/check.mjs';
import { timed } from './lib/timing.mjs';

const AT_ONCE = 64;
/** Fewer than its node takes within a dispatch window, so that held work asks for nothing. */
const HELD = 1_500;
const RUNS = 3_000;
const REFERENCES = 6_000;

/**
 * 64 submissions at a time: how long the slowest of a hundred waits for its answer, and how many runs are carried
 * through, rows included.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const throughput = async ({ system, raw, submit, ledger }) => {
  const publish = await timed(REFERENCES, AT_ONCE, raw.publish);

  /** @type {string[]} */
  const held = [];
  const since = new Date();
  system.node.toggleWork();
  const paused = await timed(HELD, AT_ONCE, async () => held.push(await submit()));
  system.node.toggleWork();
  await allCompleted(system, held, since);

  const running = await carriedThrough(system, submit, RUNS, AT_ONCE);

  const against = 'plain publishes, 64 in flight';
  const p99 = (/** @type {string} */ what, /** @type {number} */ atMost) => ({
    what: `accepting submissions, 64 in flight, ${what}, p99`,
    of: 'ms',
    against,
    goal: { atMost },
  });
  ledger.add('accept64.paused.p99', p99('their work held', 6), {
    numerator: paused.p99,
    denominator: publish.p99,
  });
  ledger.add('accept64.running.p99', p99('their runs at work', 15), {
    numerator: running.p99,
    denominator: publish.p99,
  });
  ledger.add(
    'runs.rate',
    { what: 'runs completed and in the rows', of: '/s', against, goal: { atLeast: 0.05 } },
    { numerator: running.completedRate, denominator: publish.rate },
  );
};
