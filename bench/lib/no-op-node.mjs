/**
 * The node of the benchmarks: a node-agent as it is, with work that is none. SIGUSR2 holds that work, and lets it go. What
 * begins is written down in the file that the argument names, a run's id a line.
 */
import { createWriteStream } from 'node:fs';
import { noOpWork } from './no-op-work.mjs';

/** The build's, which a benchmark measures; it is not there when types are checked. */
const BUILT = new URL('../../dist/services/node-agent/src/run-node-agent.js', import.meta.url);

const ledger = createWriteStream(process.argv[2] ?? '/dev/null', { flags: 'a' });
const { work, gate } = noOpWork((runId) => ledger.write(`${runId}\n`));
process.on('SIGUSR2', () => gate.toggle());
const { runNodeAgent } = await import(BUILT.href);
await runNodeAgent(process.env, work);
