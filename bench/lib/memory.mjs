import { readFile } from 'node:fs/promises';

const STORES = ['nats-server', 'postgres'];

/**
 * Proportional set size by process, in MB: what is shared between processes counts once. The stores are not ours.
 *
 * @param {import('./stack.mjs').System} system
 * @returns {Promise<ReadonlyMap<string, number>>}
 */
export const memoryOf = async ({ stack, node }) => {
  const pids = Object.entries(stack.pids()).filter(([name]) => !STORES.includes(name));
  const all = [...pids, /** @type {const} */ (['node-agent', node.pid])];
  return new Map(
    await Promise.all(
      all.map(async ([name, pid]) => /** @type {const} */ ([name, await proportionalMb(pid)])),
    ),
  );
};

/** @param {number} pid */
const proportionalMb = async (pid) => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(text) ?? [];
  if (kilobytes === undefined) throw new Error(`no Pss of process ${pid}`);
  return (Number(kilobytes) * 1_024) / 1_000_000;
};
