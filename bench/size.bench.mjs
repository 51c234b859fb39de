import { memoryOf } from './lib/memory.mjs';

/** What the seven services together may hold at most when idle. */
const PROMISED_MB = 900;

/** @type {import('./lib/benchmark.mjs').Benchmark} */
export const size = async ({ system, ledger }) => {
  const sizes = [...(await memoryOf(system)).values()];
  ledger.add(
    'size.idle',
    {
      what: `memory of ${sizes.length} services together`,
      unit: 'MB',
      of: 'MB',
      against: 'proportional set size',
      goal: { atMost: PROMISED_MB },
    },
    { numerator: sizes.reduce((sum, one) => sum + one, 0), denominator: 1 },
  );
};
