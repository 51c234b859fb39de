import { median, quantile } from './figures.mjs';

/**
 * How long each of many calls took, and how many were done a second.
 *
 * @typedef {{ p50: number, p99: number, rate: number }} Timing ms, ms, a second
 */

/**
 * Calls `act` `count` times, `atOnce` of them at a time.
 *
 * @param {number} count @param {number} atOnce @param {(index: number) => Promise<unknown>} act
 * @returns {Promise<Timing>}
 */
export const timed = async (count, atOnce, act) => {
  /** @type {number[]} */
  const took = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const from = performance.now();
      await act(index);
      took.push(performance.now() - from);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const rate = (count * 1_000) / (performance.now() - from);
  return { p50: median(took), p99: quantile(took, 0.99), rate };
};
