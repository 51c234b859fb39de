import { overHttp } from './lib/callers.mjs';
import { allCompleted } from './lib/check.mjs';
import { median } from './lib/figures.mjs';
import { claimP50Of, commitsIn } from './lib/stream-times.mjs';
import { timed } from './lib/timing.mjs';

/** Submissions and references of one round. */
const RUNS = 60;
const REFERENCES = 500;

/**
 * One run at a time, and nothing else at work: how long until it is accepted, and until its node claimed it. What a full
 * system does to acceptance is another figure, with 64 in flight.
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

/** Each waits until the one before is over. @param {import('./lib/stack.mjs').System} system @param {import('./lib/callers.mjs').Submit} submit */
const submitAll = async (system, submit) => {
  /** @type {string[]} */
  const runs = [];
  /** @type {number[]} */
  const took = [];
  const { events } = await commitsIn(system);
  const since = new Date();
  while (runs.length < RUNS) {
    const from = performance.now();
    runs.push(await submit());
    took.push(performance.now() - from);
    await allCompleted(system, runs, since);
  }
  return { p50: median(took), claimP50: await claimP50Of(system, runs, events) };
};
