import { parseArgs } from 'node:util';

const ROUNDS = { default: 5, max: 50 };
const RUNS = { default: 100_000, max: 10_000_000 };

/**
 * @typedef {object} Options
 * @property {readonly string[]} names of benchmarks; none: all of them
 * @property {number} rounds of each
 * @property {number} runs of `volume`
 * @property {boolean} publish write the page in `docs/` as well
 * @property {boolean} isHelp
 */

export const HELP = `npm run bench [-- [NAME ...] [--rounds N] [--runs N] [--publish]]    measures a whole system on this machine

  accept       one submission at a time: until it is accepted, and claimed by its node
  append       appends of the event store
  commits      what a short run costs the broker
  durability   what it costs that every write is synced to disk
  lag          how old rows are, at about a hundred events a second
  peers        other programs at the same work; only when named, and with --publish: it installs them
  rebuild      all read models made anew
  size         memory of the services, idle
  spawns       strict spawns: from the call to the begin of the agent, and their replay
  throughput   64 submissions at a time, and runs carried through
  volume       very many runs: memory, and whether ledger, events and rows say the same of each

  --rounds N   rounds of each, ${ROUNDS.default} unless said otherwise, at most ${ROUNDS.max}: a figure is their median
  --runs N     runs of volume, ${RUNS.default} unless said otherwise: they take most of the time, ten minutes or more
  --publish    write docs/performance.md and docs/performance.json too: only what was measured in full

Each is compared with the same broker, disk and database used directly, in the same round. Programs cost nothing here:
the node starts none. All of them together write bench/results/latest.json, some of them bench/results/partial.json.

Examples: npm run bench -- lag size --rounds 3
          npm run bench -- volume --runs 5000`;

/**
 * @param {string[]} args
 * @param {readonly string[]} known names of benchmarks
 * @returns {Options}
 * @throws Error that names what is wrong.
 */
export const optionsIn = (args, known) => {
  const { values, positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      runs: { type: 'string' },
      publish: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`there is no benchmark called ${unknown.join(', ')}`);
  const { publish = false, help: isHelp = false } = values;
  if (publish && names.length > 0)
    throw new Error('--publish shows all figures: name no benchmark with it');
  return {
    names,
    rounds: wholeNumber('--rounds', values.rounds, ROUNDS),
    runs: wholeNumber('--runs', values.runs, RUNS),
    publish,
    isHelp,
  };
};

/** @param {string} name @param {string | undefined} text @param {{ default: number, max: number }} bounds */
const wholeNumber = (name, text, bounds) => {
  const value = text === undefined ? bounds.default : Number(text);
  if (!Number.isInteger(value) || value < 1 || value > bounds.max)
    throw new Error(`${name} takes a whole number from 1 to ${bounds.max}, not ${text}`);
  return value;
};
