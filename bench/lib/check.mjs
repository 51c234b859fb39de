import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
const SETTLED_MAX_MS = 120_000;

/** Names a set of runs. @param {readonly string[]} runIds */
export const checksum = (runIds) =>
  createHash('sha256')
    .update([...runIds].sort().join('\n'))
    .digest('hex');

/**
 * Waits until the rows say that all runs since a moment are completed, and proves that they are the ones that were
 * accepted. A figure whose work does not add up is void.
 *
 * @param {import('./stack.mjs').System} system
 * @param {readonly string[]} accepted every run that was accepted since `since`
 * @param {Date} since by the broker's clock, which is this machine's
 * @returns {Promise<void>} settles at the moment in which the last of them is seen completed.
 * @throws Error when they are not completed in time, or are not the ones that were accepted.
 */
export const allCompleted = async ({ database }, accepted, since) => {
  const deadline = performance.now() + SETTLED_MAX_MS;
  for (;;) {
    const { rows } = await database.query(
      `SELECT count(*)::int AS completed FROM run_view WHERE status = 'completed' AND submitted_at >= $1`,
      [since],
    );
    if (rows[0].completed >= accepted.length) break;
    if (performance.now() > deadline)
      throw new Error(
        `${rows[0].completed} of ${accepted.length} runs were completed in time: ${await statuses(database, since)}`,
      );
    await pause(LOOK_EVERY_MS);
  }
  const { rows } = await database.query(
    'SELECT run_id AS id, status FROM run_view WHERE submitted_at >= $1',
    [since],
  );
  const others = rows.filter(({ status }) => status !== 'completed');
  if (others.length > 0) throw new Error(`void: ${others.length} runs are not completed`);
  if (checksum(rows.map(({ id }) => id)) !== checksum(accepted))
    throw new Error(
      `void: ${rows.length} rows are not the ${accepted.length} runs that were accepted`,
    );
};

/** How many runs are in which status, and why. @param {import('pg').Client} database @param {Date} since */
const statuses = async (database, since) => {
  const { rows } = await database.query(
    `SELECT status, code, min(unknown_reason) AS reason, count(*)::int AS runs FROM run_view
     WHERE submitted_at >= $1 GROUP BY status, code`,
    [since],
  );
  return JSON.stringify(rows);
};
