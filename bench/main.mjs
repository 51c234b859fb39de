/**
 * `npm run bench`: measures a whole system of real processes on this machine, and prints ratios: each figure is compared
 * with another one of the same round. It asserts nothing but that the work adds up; people judge.
 */
import { connectLink } from '#nats';
import { accept } from './accept.bench.mjs';
import { append } from './append.bench.mjs';
import { commits } from './commits.bench.mjs';
import { durability } from './durability.bench.mjs';
import { lag } from './lag.bench.mjs';
import { overNats } from './lib/callers.mjs';
import { allCompleted } from './lib/check.mjs';
import { Ledger, table } from './lib/figures.mjs';
import { HELP, optionsIn } from './lib/options.mjs';
import { publish } from './lib/publish.mjs';
import { submissionOf, withRaw } from './lib/raw.mjs';
import { circumstances, writeResults } from './lib/results.mjs';
import { Interrupted, withSystem } from './lib/stack.mjs';
import { peers } from './peers.bench.mjs';
import { rebuild } from './rebuild.bench.mjs';
import { size } from './size.bench.mjs';
import { spawns } from './spawns.bench.mjs';
import { throughput } from './throughput.bench.mjs';
import { volume } from './volume.bench.mjs';

/** Before the rounds, while the system has done little. @type {Readonly<Record<string, import('./lib/benchmark.mjs').Benchmark>>} */
const FIRST = { size, commits };
/** In this order within a round: the rebuild when there is something to rebuild. @type {typeof FIRST} */
const EACH_ROUND = { accept, append, throughput, lag, rebuild };
/** After the rounds: it measures both kinds of writing by turns itself, spawns have a stack of their own, and volume fills the stream. @type {typeof FIRST} */
const LAST = { durability, spawns, peers, volume };
/** Only when named, or for the page: it installs what it measures. */
const ON_DEMAND = new Set(['peers']);

const NAMES = [FIRST, EACH_ROUND, LAST].flatMap((benchmarks) => Object.keys(benchmarks));
const WARM_UP = 300;

/** @param {import('./lib/options.mjs').Options} options */
const measureAll = async (options) => {
  const { names, rounds, runs } = options;
  const isWanted = (/** @type {string} */ name) =>
    names.includes(name) || (names.length === 0 && (options.publish || !ON_DEMAND.has(name)));
  await withSystem(async (system) => {
    const ledger = new Ledger();
    const around = await circumstances(system);
    const link = await connectLink({ url: system.stack.natsUrlFor('gateway'), name: 'caller' });
    const submit = overNats(link, system.stack.operatorToken);
    try {
      const like = await warmUp(system, submit);
      await withRaw(system, like, async (raw) => {
        const measure = async (
          /** @type {typeof FIRST} */ benchmarks,
          /** @type {string} */ when,
        ) => {
          for (const [name, benchmark] of Object.entries(benchmarks)) {
            if (!isWanted(name)) continue;
            console.error(`${when}${name} …`);
            await benchmark({ system, raw, submit, ledger, rounds, runs });
          }
        };
        await measure(FIRST, '');
        for (let round = 1; round <= rounds; round += 1)
          await measure(EACH_ROUND, `round ${round} of ${rounds}: `);
        await measure(LAST, '');
      });
    } finally {
      const figures = ledger.figures();
      // Also when it was interrupted: what is known is not lost.
      if (figures.length > 0) report({ ...around, figures }, names.length === 0);
      await link.close();
    }
    if (options.publish) await publish({ ...around, figures: ledger.figures() });
  });
};

/** The first answers of new processes are slow. @param {import('./lib/stack.mjs').System} system @param {import('./lib/callers.mjs').Submit} submit */
const warmUp = async (system, submit) => {
  const since = new Date();
  const runs = [];
  for (let run = 0; run < WARM_UP; run += 1) runs.push(await submit());
  await allCompleted(system, runs, since);
  return submissionOf(system, runs[0] ?? '');
};

/** @param {Parameters<typeof writeResults>[1]} results @param {boolean} isAll */
const report = (results, isAll) => {
  const { machine, versions, commit, durability: inForce, figures } = results;
  console.log(table(figures));
  console.log(`\n${machine.cores} cores (${machine.cpu}), load ${machine.loadBefore} before`);
  console.log(`${Object.entries(versions).flat().join(' ')}; ${inForce}; commit ${commit}`);
  console.log(`written to ${writeResults(isAll ? 'latest' : 'partial', results)}`);
};

const main = async () => {
  /** @type {import('./lib/options.mjs').Options} */
  let options;
  try {
    options = optionsIn(process.argv.slice(2), NAMES);
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  if (options.isHelp) {
    console.log(HELP);
    return;
  }
  await measureAll(options).catch((error) => {
    if (!(error instanceof Interrupted)) throw error;
    process.exit(130); // What was being measured may go on for a while, against nothing.
  });
};

await main();
