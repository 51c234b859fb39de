/**
 * `npm run bench`: measures a whole system of real processes on this machine, and prints ratios. It asserts nothing: a
 * figure is compared with another one of the same run, or with what is promised, and people judge.
 *
 * `npm run bench -- lag size` measures only those.
 */
import { append } from './append.bench.mjs';
import { lag } from './lag.bench.mjs';
import { table } from './lib/figures.mjs';
import { Interrupted, withSystem } from './lib/stack.mjs';
import { rebuild } from './rebuild.bench.mjs';
import { size } from './size.bench.mjs';

/** In this order: the size first, while the system is idle; the rebuild last, since it fills the stream. */
const BENCHMARKS = { size, lag, append, rebuild };

const HELP = [
  'npm run bench [-- NAME ...]    measures a whole system on this machine, in about two minutes',
  '',
  '  size     memory of the seven services, idle',
  '  lag      how old rows are, at about a hundred events a second',
  '  append   appends of the event store, against plain publishes',
  '  rebuild  all read models made anew, against reading the stream alone',
  '',
  'Example: npm run bench -- lag size',
].join('\n');

/** @param {readonly string[]} names none: all of them. */
const measureAll = async (names) => {
  const from = performance.now();
  const figures = await withSystem(async (system) => {
    const upAfterS = (performance.now() - from) / 1_000;
    const results = [
      {
        what: 'start of a new system',
        value: upAfterS,
        unit: 's',
        against: 'promised for a restart',
        reference: 15,
      },
    ];
    for (const [name, measure] of Object.entries(BENCHMARKS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.error(`measuring ${name} …`);
      const measured = await measure(system);
      console.error(table(measured)); // What is known is not lost when a later one is interrupted.
      results.push(...measured);
    }
    return results;
  });
  console.log(table(figures));
};

const wanted = process.argv.slice(2);
const isHelp = wanted.includes('--help');
if (isHelp || wanted.some((name) => !Object.hasOwn(BENCHMARKS, name))) {
  console.log(HELP);
  process.exitCode = isHelp ? 0 : 2;
} else
  await measureAll(wanted).catch((error) => {
    if (!(error instanceof Interrupted)) throw error;
    process.exit(130); // What was being measured may go on for a while, against nothing.
  });
