import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './lib/figures.mjs';
import { readStream } from './lib/read-stream.mjs';
import { runsPositionOf } from './lib/stack.mjs';
import { timed } from './lib/timing.mjs';
import { appendWaitingRun } from './lib/waiting-run.mjs';

const EVENTS_A_SECOND = 100;
/** A run of the no-op agent is submitted, dispatched, claimed, and completed. */
const EVENTS_A_RUN = 4;
const SECONDS = 8;
const LOOK_EVERY_MS = 5;
const REFERENCES = 500;

/**
 * How old a commit is, by the broker's stamp, when the rows of runs contain it: at about a hundred events a second, once
 * as events alone, and once of runs that are carried through.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const lag = async ({ system, raw, submit, ledger }) => {
  const publish = await timed(REFERENCES, 1, raw.publish);
  const upsert = await timed(REFERENCES, 1, raw.upsert);
  const denominator = publish.p99 + upsert.p99;
  const against = 'p99 of a plain publish and of a plain upsert';

  const events = await agesUnder(system, EVENTS_A_SECOND, () => appendWaitingRun(system.store));
  const meaning = (/** @type {string} */ what) => ({
    what: `age of rows at 100 events/s, ${what}`,
    of: 'ms',
    against,
  });
  ledger.add(
    'lag.p99',
    { ...meaning('events alone, p99'), goal: { atMost: 8 } },
    { numerator: quantile(events, 0.99), denominator },
  );
  ledger.add(
    'lag.p50',
    { ...meaning('events alone, p50'), goal: null },
    { numerator: quantile(events, 0.5), denominator },
  );
  const runs = await agesUnder(system, EVENTS_A_SECOND / EVENTS_A_RUN, submit);
  ledger.add(
    'lag.runs.p99',
    { ...meaning('of runs carried through, p99'), goal: null },
    { numerator: quantile(runs, 0.99), denominator },
  );
};

/**
 * @param {import('./lib/stack.mjs').System} system
 * @param {number} aSecond
 * @param {() => Promise<unknown>} act
 */
const agesUnder = async ({ database, store, feed }, aSecond, act) => {
  await steadily(1, aSecond, act); // To warm up.
  const start = await store.end();
  /** @type {{ at: number, position: number }[]} */
  const looks = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const position = await runsPositionOf(database);
      if (position !== looks.at(-1)?.position) looks.push({ at: Date.now(), position });
      await pause(LOOK_EVERY_MS);
    }
  })();
  await steadily(SECONDS, aSecond, act);
  const end = await store.end();
  while ((await runsPositionOf(database)) < end) await pause(LOOK_EVERY_MS);
  await pause(10 * LOOK_EVERY_MS);
  isOver = true;
  await looking;
  return (await readStream(feed, start, end)).map(({ revision, storedAt }) => {
    const seen = looks.find(({ position }) => position >= revision);
    return (seen?.at ?? Number.NaN) - storedAt;
  });
};

/** @param {number} seconds @param {number} aSecond @param {() => Promise<unknown>} act */
const steadily = async (seconds, aSecond, act) => {
  const asked = [];
  const from = performance.now();
  for (let index = 0; index < seconds * aSecond; index += 1) {
    asked.push(act());
    await pause(Math.max(0, from + ((index + 1) * 1_000) / aSecond - performance.now()));
  }
  await Promise.all(asked);
};
