import { allCompleted } from './check.mjs';
import { timed } from './timing.mjs';

/**
 * Submits runs, so many at a time, and waits until all of them are completed and in the rows.
 *
 * @param {import('./stack.mjs').System} system
 * @param {import('./callers.mjs').Submit} submit
 * @param {number} count
 * @param {number} atOnce
 * @returns {Promise<import('./timing.mjs').Timing & { completedRate: number }>} of the submissions; and runs a second, to the last row.
 */
export const carriedThrough = async (system, submit, count, atOnce) => {
  /** @type {string[]} */
  const runs = [];
  const since = new Date();
  const from = performance.now();
  const timing = await timed(count, atOnce, async () => runs.push(await submit()));
  await allCompleted(system, runs, since);
  return { ...timing, completedRate: (count * 1_000) / (performance.now() - from) };
};
