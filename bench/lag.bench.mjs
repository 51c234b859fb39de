import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './lib/figures.mjs';
import { AGENT, positionOf } from './lib/stack.mjs';

/** The promise: rows are current within this at that rate. */
const BUDGET_MS = 100;
const EVENTS_A_SECOND = 100;
/** A run of this agent is submitted, dispatched, claimed, perhaps receipted, and completed. */
const EVENTS_A_RUN = 4.5;
const SECONDS = 20;
const LOOK_EVERY_MS = 2;

/**
 * How old a commit is, by the broker's stamp, when every projection contains it: real runs through the whole system, at
 * about a hundred events a second.
 *
 * @param {import('./lib/stack.mjs').System} system
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
export const lag = async (system) => {
  const { stack, database, store, feed } = system;
  await submitRuns(stack, 2, 10); // To warm up.
  const start = await store.end();
  /** @type {{ at: number, position: number }[]} */
  const looks = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const { position } = await positionOf(database);
      if (position !== looks.at(-1)?.position) looks.push({ at: Date.now(), position });
      await pause(LOOK_EVERY_MS);
    }
  })();
  const from = performance.now();
  await submitRuns(stack, SECONDS, EVENTS_A_SECOND / EVENTS_A_RUN);
  const seconds = (performance.now() - from) / 1_000;
  const end = await store.end();
  while ((await positionOf(database)).position < end) await pause(LOOK_EVERY_MS);
  await pause(10 * LOOK_EVERY_MS);
  isOver = true;
  await looking;

  const lags = (await commitsBetween(feed, start, end)).map(({ revision, storedAt }) => {
    const seen = looks.find(({ position }) => position >= revision);
    return (seen?.at ?? Number.NaN) - storedAt;
  });
  const against = 'promised';
  const rate = `${Math.round((end - start) / seconds)} commits/s`;
  return [
    {
      what: `age of rows at ${rate}, median`,
      value: quantile(lags, 0.5),
      unit: 'ms',
      against,
      reference: BUDGET_MS,
    },
    {
      what: `age of rows at ${rate}, p99`,
      value: quantile(lags, 0.99),
      unit: 'ms',
      against,
      reference: BUDGET_MS,
    },
  ];
};

/** @param {import('#local-stack').LocalStack} stack @param {number} seconds @param {number} aSecond */
const submitRuns = async (stack, seconds, aSecond) => {
  const asked = [];
  for (let index = 0; index < seconds * aSecond; index += 1) {
    asked.push(submit(stack, index));
    await pause(1_000 / aSecond);
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

/** @param {import('#nats').JetStreamEventFeed} feed @param {number} after @param {number} end */
const commitsBetween = async (feed, after, end) => {
  const stop = new AbortController();
  const commits = [];
  for await (const batch of feed.follow({
    after,
    batchMax: 500,
    lingerMs: 1,
    signal: stop.signal,
  })) {
    commits.push(...batch);
    if ((batch.at(-1)?.revision ?? 0) >= end) break;
  }
  stop.abort();
  return commits;
};
