import { readFileSync, readdirSync } from 'node:fs';

/** How long processes that are on their way out have, in milliseconds. */
const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** @param {string} path */
const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Gone in the meantime, or another user's: not ours.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return '';
  }
};

/**
 * The living processes whose environment holds a variable with a value (Linux; elsewhere none are found).
 * Children inherit it, so a value that was made for one test run finds everything that the run started.
 *
 * @param {string} variable
 * @param {string} value
 */
const processesWith = (variable, value) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`${variable}=${value}`))
    .map((pid) => ({
      pid: Number(pid),
      command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim(),
    }));

/**
 * Ends what a test run left behind, and says what that was: a test that leaves a process running did not clean up.
 *
 * @param {string} variable
 * @param {string} value
 * @returns {Promise<readonly { pid: number, command: string }[]>}
 */
export const endLeftovers = async (variable, value) => {
  if (process.platform !== 'linux') return [];
  const until = Date.now() + GRACE_MS;
  let left = processesWith(variable, value);
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    left = processesWith(variable, value);
  }
  for (const { pid } of left)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
    }
  return left;
};
