import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './lib/figures.mjs';
import { readStream } from './lib/read-stream.mjs';
import { AGENT, runsPositionOf } from './lib/stack.mjs';
import { appendWaitingRun } from './lib/waiting-run.mjs';

/** The promise: rows are current within this at that rate. */
const BUDGET_MS = 100;
const EVENTS_A_SECOND = 100;
/** A run of this agent is submitted, dispatched, claimed, perhaps receipted, and completed. */
const EVENTS_A_RUN = 4.5;
const SECONDS = 20;
const LOOK_EVERY_MS = 5;

/**
 * How old a commit is, by the broker's stamp, when the rows of runs contain it: at about a hundred events a second, once
 * as events alone, and once of real runs, whose programs take most of a small machine.
 *
 * @param {import('./lib/stack.mjs').System} system
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
export const lag = async (system) => {
  const { stack, store } = system;
  const events = (/** @type {number} */ seconds) =>
    steadily(seconds, EVENTS_A_SECOND, () => appendWaitingRun(store));
  const runs = (/** @type {number} */ seconds) =>
    steadily(seconds, EVENTS_A_SECOND / EVENTS_A_RUN, (index) => submit(stack, index));
  return [
    ...(await lagUnder(system, 'events alone', events)),
    ...(await lagUnder(system, 'real runs', runs)),
  ];
};

/**
 * @param {import('./lib/stack.mjs').System} system
 * @param {string} what
 * @param {(seconds: number) => Promise<unknown>} load
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
const lagUnder = async ({ database, store, feed }, what, load) => {
  await load(2); // To warm up.
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
  const from = performance.now();
  await load(SECONDS);
  const seconds = (performance.now() - from) / 1_000;
  const end = await store.end();
  while ((await runsPositionOf(database)) < end) await pause(LOOK_EVERY_MS);
  await pause(10 * LOOK_EVERY_MS);
  isOver = true;
  await looking;

  const lags = (await readStream(feed, start, end)).map(({ revision, storedAt }) => {
    const seen = looks.find(({ position }) => position >= revision);
    return (seen?.at ?? Number.NaN) - storedAt;
  });
  const rate = `${Math.round((end - start) / seconds)}/s`;
  const figure = (/** @type {string} */ name, /** @type {number} */ part) => ({
    what: `age of rows, ${what}, ${rate}: ${name}`,
    value: quantile(lags, part),
    unit: 'ms',
    against: 'promised',
    reference: BUDGET_MS,
  });
  return [figure('median', 0.5), figure('p99', 0.99)];
};

/** @param {number} seconds @param {number} aSecond @param {(index: number) => Promise<unknown>} act */
const steadily = async (seconds, aSecond, act) => {
  const asked = [];
  const from = performance.now();
  for (let index = 0; index < seconds * aSecond; index += 1) {
    asked.push(act(index));
    await pause(Math.max(0, from + ((index + 1) * 1_000) / aSecond - performance.now()));
  }
  await Promise.all(asked);
};

/** @param {import('#local-stack').LocalStack} stack @param {number} index */
const submit = async (stack, index) => {
  const answer = await fetch(`${stack.url}/v1/submissions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.operatorToken}`,
      'content-type': 'application/json',
      'idempotency-key': `bench-${Date.now()}-${index}`,
    },
    body: JSON.stringify({ agent: AGENT, prompt: `run ${index}` }),
  });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.text();
};
