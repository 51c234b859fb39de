import { overHttp } from './lib/callers.mjs';
import { allCompleted } from './lib/check.mjs';
import { claimP50Of, commitsIn } from './lib/stream-times.mjs';
import { timed } from './lib/timing.mjs';

/** Submissions and references of one round. */
const RUNS = 300;
const REFERENCES = 500;

/**
 * One submission at a time, its runs at work behind it: how long until it is accepted, and until its node claimed it.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const accept = async ({ system, raw, submit, ledger }) => {
  const { stack } = system;
  const publish = await timed(REFERENCES, 1, raw.publish);
  const synced = await timed(REFERENCES, 1, async () => {
    await raw.publish();
    await raw.sync();
  });

  const overNats = await submitAll(system, submit);
  ledger.add(
    'accept.nats.p50',
    {
      what: 'accepting a submission over NATS, one in flight, p50',
      of: 'ms',
      against: 'a plain publish',
      goal: { atMost: 4 },
    },
    { numerator: overNats.p50, denominator: publish.p50 },
  );
  ledger.add(
    'claim.p50',
    {
      what: 'from accepted to claimed by its node, p50',
      of: 'ms',
      against: 'a plain publish and one fdatasync',
      goal: { atMost: 6 },
    },
    { numerator: overNats.claimP50, denominator: synced.p50 },
  );

  const http = overHttp(stack.url, stack.operatorToken, 1);
  const overHttp1 = await submitAll(system, http.submit).finally(http.close);
  ledger.add(
    'accept.http.p50',
    {
      what: 'accepting a submission over HTTP, one in flight, p50',
      of: 'ms',
      against: 'a plain publish',
      goal: { atMost: 7 },
    },
    { numerator: overHttp1.p50, denominator: publish.p50 },
  );
};

/** @param {import('./lib/stack.mjs').System} system @param {import('./lib/callers.mjs').Submit} submit */
const submitAll = async (system, submit) => {
  /** @type {string[]} */
  const runs = [];
  const { events } = await commitsIn(system);
  const since = new Date();
  const { p50 } = await timed(RUNS, 1, async () => runs.push(await submit()));
  await allCompleted(system, runs, since);
  return { p50, claimP50: await claimP50Of(system, runs, events) };
};
