import type { RunRow } from '../projection/index.js';

/**
 * What a person can do about an outcome that is not known. Pure.
 *
 * It never offers to send the prompt again, and never speaks of a stop that nobody asked for: neither is known to be right.
 */
export const adviceFor = (run: Pick<RunRow, 'node' | 'unknownFenced' | 'stopId'>): string => {
  const standing =
    run.unknownFenced === true
      ? `Nothing of it runs any more on node ${run.node}, and its session goes on; only what it did is not known.`
      : `It may still run on node ${run.node}. Bring the node back if it is away: its journal settles this by itself. What is named as still there is ended by a stop.`;
  const first = run.unknownFenced === true ? 'Look' : 'Where neither is possible, look';
  const settling =
    run.stopId === null
      ? `${first} at what it may have changed, and record whether it counts as completed, failed or abandoned.`
      : `${first} at what it may have changed, and record whether it counts as failed or abandoned; a stop was accepted, so it can not count as completed.`;
  return `${standing} ${settling} Submitting the same work anew may do it twice.`;
};
