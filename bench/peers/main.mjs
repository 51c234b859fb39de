/**
 * `npm run bench:peers`: measures other programs that do Holdfast's main job, on this machine, and writes
 * `bench/results/peers.json`. It asserts nothing but that the work was done, and done once.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { installPeers } from './lib/install.mjs';
import { load } from './lib/load.mjs';
import { ROUNDS_MIN, measurePeers } from './measure.mjs';
import { PEERS } from './peers/index.mjs';

const ROOT = join(import.meta.dirname, '../..');
const RESULTS = join(ROOT, 'bench/results/peers.json');
const NAMES = PEERS.map(({ name }) => name).join(' ');

/** What was built of the project: this folder is a package of its own, and knows no package imports of it. */
const LOCAL_STACK = join(ROOT, 'dist/libs/local-stack/src/index.js');

const HELP = [
  'npm run bench:peers [-- --jobs N] [--rounds N] [NAME ...]    measures other programs that do the same work',
  '',
  `  NAME      one or more of: ${NAMES}; none: all of them`,
  '  --jobs    over how many jobs the rate is measured in each round, 2000 unless given',
  `  --rounds  at least ${ROUNDS_MIN}, which it is unless given`,
  '',
  'DATABASE_URL names a Postgres whose user may create databases; absent: one of its own.',
].join('\n');

const usage = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: String(ROUNDS_MIN) },
    },
  });
  const [jobs, rounds] = [Number(values.jobs), Number(values.rounds)];
  if (!Number.isInteger(jobs) || jobs < 1)
    throw new Error(`--jobs ${values.jobs}: a number from 1`);
  if (!Number.isInteger(rounds) || rounds < ROUNDS_MIN)
    throw new Error(`--rounds ${values.rounds}: a number from ${ROUNDS_MIN}`);
  const unknown = positionals.find((name) => PEERS.every((peer) => peer.name !== name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of: ${NAMES}`);
  return { help: values.help, jobs, rounds, only: positionals };
};

/** A Postgres as `npm start` sets it up, with its defaults; or the one that is named. */
const withPostgres = async (/** @type {(url: string) => Promise<void>} */ use) => {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return use(given);
  /** @type {typeof import('../../libs/local-stack/src/index.js')} */
  const { PostgresServer } = await load(pathToFileURL(LOCAL_STACK).href);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-peers-'));
  const server = await PostgresServer.start({ folder });
  try {
    await Promise.race([use(server.databaseUrl), interruption()]);
  } finally {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  }
};

class Interrupted extends Error {}

/** Rejects at Ctrl-C: what is being measured goes down with its database. @returns {Promise<never>} */
const interruption = () =>
  new Promise((_resolve, reject) => {
    const interrupt = () => {
      process.on('unhandledRejection', () => undefined);
      reject(new Interrupted());
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  });

const machine = () => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${release()}`,
});

/** Of the checkout; `+` when it holds changes. */
const commit = async () => {
  if (!existsSync(join(ROOT, '.git'))) return 'unknown';
  const git = async (/** @type {string[]} */ ...args) =>
    (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  const changed = (await git('status', '--porcelain')) === '' ? '' : '+';
  return `${await git('rev-parse', '--short', 'HEAD')}${changed}`;
};

/** @param {number} value */
const short = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

const main = async () => {
  let options;
  try {
    options = usage();
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const { help, jobs, rounds, only } = options;
  if (help) return console.log(HELP);
  await installPeers(import.meta.dirname);
  await withPostgres(async (databaseUrl) => {
    const measured = await measurePeers({
      jobs,
      rounds,
      databaseUrl,
      ...(only.length === 0 ? {} : { only }),
      onProgress: ({ round, peer, rate }) =>
        console.error(`round ${round + 1} of ${rounds}: ${peer} ${short(rate)} jobs/s`),
    });
    const { figures, durability, versions } = measured;
    for (const { id, value, unit } of figures)
      console.log(`${id.padEnd(36)}${short(value)} ${unit}`);
    const report = { machine: machine(), versions, commit: await commit(), durability, figures };
    await mkdir(join(RESULTS, '..'), { recursive: true });
    await writeFile(RESULTS, `${JSON.stringify(report, undefined, 2)}\n`);
    console.error(`written to ${RESULTS}`);
  });
};

await main().catch((error) => {
  if (error instanceof Interrupted) process.exit(130); // What was being measured may go on for a while, against nothing.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
