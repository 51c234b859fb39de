/**
 * A sample agent that stays: it says who it is and what its task is, and lives until it is stopped. SIGTERM ends it with a
 * last line and exit code 143.
 */
import { promptOfThisProgram } from './prompt.js';

/** Any time at all: the timer is there to keep the program alive. Unit: milliseconds. */
const A_DAY_MS = 86_400_000;

const name = process.env['HOLDFAST_AGENT'] ?? 'an agent without a name';
const task = (await promptOfThisProgram()).trimEnd();

process.once('SIGTERM', () => {
  process.stdout.write(`${name} was stopped\n`);
  process.exit(143);
});
setInterval(() => undefined, A_DAY_MS);
process.stdout.write(`${name} in ${process.cwd()}: ${task}\n`);
