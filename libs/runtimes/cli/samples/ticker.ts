/**
 * A sample agent that works slowly and shows its progress: one line a second, for as many seconds as the first number in its
 * prompt says (1 to 3,600; 5 without a number). SIGTERM ends it with a last line and exit code 143.
 *
 * `TICK_MS` makes a second shorter, for tests (10 to 1,000).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { promptOfThisProgram } from './prompt.js';

const DEFAULT_TICKS = 5;
const TICKS_MAX = 3_600;
const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

const wanted = /\d+/.exec(await promptOfThisProgram())?.[0];
const ticks = clamp(Number(wanted ?? DEFAULT_TICKS), 1, TICKS_MAX);
const tickMs = clamp(Number(process.env['TICK_MS'] ?? 1_000), 10, 1_000);

let done = 0;
process.once('SIGTERM', () => {
  process.stdout.write(`stopped after ${done} of ${ticks}\n`);
  process.exit(143);
});

while (done < ticks) {
  await pause(tickMs);
  done += 1;
  process.stdout.write(`tick ${done} of ${ticks}\n`);
}
process.stdout.write(`done after ${ticks}\n`);
