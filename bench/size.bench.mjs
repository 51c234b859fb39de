import { readFile } from 'node:fs/promises';

/** What the seven services together may hold at most when idle. */
const BUDGET_MB = 900;
const STORES = ['nats-server', 'postgres'];

/**
 * Proportional set size: what is shared between processes counts once.
 *
 * @param {import('./lib/stack.mjs').System} system
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
export const size = async ({ stack }) => {
  const services = Object.entries(stack.pids()).filter(([name]) => !STORES.includes(name));
  const sizes = await Promise.all(services.map(([, pid]) => proportionalMb(pid)));
  const value = sizes.reduce((sum, one) => sum + one, 0);
  return [
    {
      what: `memory of ${sizes.length} services`,
      value,
      unit: 'MB',
      against: 'promised',
      reference: BUDGET_MB,
    },
  ];
};

/** @param {number} pid */
const proportionalMb = async (pid) => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(text) ?? [];
  if (kilobytes === undefined) throw new Error(`no Pss of process ${pid}`);
  return (Number(kilobytes) * 1_024) / 1_000_000;
};
