import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** How much of a program's output is kept when it is not shown, in characters; the end is what tells. */
const KEPT_MAX = 1_000_000;
/** How long a process group has between SIGTERM and SIGKILL, in milliseconds. */
const MERCY_MS = 5_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * @typedef {object} Ended
 * @property {number} code the exit code; 1 when a signal ended it.
 * @property {string} output what it wrote, when `show` was off: the last {@link KEPT_MAX} characters.
 * @property {'itself' | 'time limit' | 'watch'} endedBy
 */

/**
 * Runs a program in a process group of its own, to its end or to its time limit.
 *
 * @param {string} command
 * @param {readonly string[]} arguments_ passed as they are: no shell.
 * @param {object} options
 * @param {string} options.cwd
 * @param {number} options.limitMs after this long the whole group is ended.
 * @param {boolean} [options.show] its output goes straight to ours; otherwise it is kept.
 * @param {Readonly<Record<string, string | undefined>>} [options.env] over ours; `undefined` removes a variable.
 * @param {number} [options.niceness] 0 (as we are) to 19: it, and what it starts, yields the processor to others.
 * @param {(end: () => void) => () => void} [options.watch] called after the start with a way to end the group;
 *   answers how to stop watching.
 * @returns {Promise<Ended>} never rejects for what the program does; a missing program is exit code 127.
 */
export const runChild = (command, arguments_, options) =>
  new Promise((resolve) => {
    const { cwd, limitMs, show = false, env = {}, niceness = 0, watch } = options;
    const child = spawn(command, arguments_, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    running.add(child);
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
    let output = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => (output = (output + chunk.toString()).slice(-KEPT_MAX));
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);

    /** @type {Ended['endedBy']} */
    let endedBy = 'itself';
    const limit = setTimeout(() => {
      endedBy = 'time limit';
      endGroup(child);
    }, limitMs);
    const unwatch = watch?.(() => {
      endedBy = 'watch';
      endGroup(child);
    });
    /** @param {number} code */
    const ended = (code) => {
      clearTimeout(limit);
      unwatch?.();
      running.delete(child);
      resolve({ code, output, endedBy });
    };
    child.on('error', (error) => {
      output += `${error.message}\n`;
      ended(127);
    });
    child.on('close', (code) => ended(code ?? 1));
  });

/** Ends what still runs; for a signal handler. */
export const endAllChildren = () => running.forEach(endGroup);

/** @param {import('node:child_process').ChildProcess} child */
const endGroup = (child) => {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), MERCY_MS).unref();
};

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
const signalGroup = (child, signal) => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error; // It is gone: good.
  }
};
