import { setTimeout as pause } from 'node:timers/promises';
import { readStream } from './lib/read-stream.mjs';
import { positionOf } from './lib/stack.mjs';
import { appendWaitingRun } from './lib/waiting-run.mjs';

const RUNS = 10_000;
const AT_ONCE = 32;
const LOOK_EVERY_MS = 20;

/**
 * How fast all read models are made anew, against how fast the stream alone can be read.
 *
 * @param {import('./lib/stack.mjs').System} system
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
export const rebuild = async ({ store, feed, database }) => {
  await fill(store);
  const end = await store.end();
  const caughtUp = async () => {
    for (;;) {
      const { position, projections } = await positionOf(database);
      if (projections === known && position >= end) return;
      await pause(LOOK_EVERY_MS);
    }
  };
  const { projections: known } = await positionOf(database);
  await caughtUp();
  const building = performance.now();
  await database.query('DELETE FROM projection_checkpoint'); // Its writers step down, and begin anew.
  await caughtUp();
  const builtMs = performance.now() - building;
  const reading = performance.now();
  const read = (await readStream(feed, 0, end)).length;
  const reference = (read * 1_000) / (performance.now() - reading);
  const value = (read * 1_000) / builtMs;
  return [
    {
      what: `rebuild of ${known} read models`,
      value,
      unit: 'commits/s',
      against: 'reading alone',
      reference,
    },
  ];
};

/** @param {import('#nats').JetStreamEventStore} store */
const fill = async (store) => {
  let left = RUNS;
  const one = async () => {
    while (left-- > 0) await appendWaitingRun(store);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
};
