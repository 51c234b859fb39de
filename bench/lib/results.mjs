import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

const FOLDER = new URL('../results/', import.meta.url).pathname;
const CHECKOUT = new URL('../../', import.meta.url).pathname;

/**
 * What a result is worth nothing without.
 *
 * @typedef {object} Circumstances
 * @property {{ cpu: string, cores: number, memoryGb: number, loadBefore: number }} machine
 * @property {Readonly<Record<string, string>>} versions
 * @property {string} commit `-dirty` behind it when the checkout held more than the commit.
 * @property {string} durability what an acknowledged write survives
 * @property {string} at
 */

/**
 * @param {import('./stack.mjs').System} system
 * @returns {Promise<Circumstances>}
 */
export const circumstances = async ({ link, database, stack }) => {
  const { rows } = await database.query('SHOW server_version');
  return {
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 1e9),
      loadBefore: LOAD_BEFORE,
    },
    versions: {
      node: process.version,
      'nats-server': link.serverVersion ?? 'unknown',
      postgres: rows[0].server_version,
    },
    commit: commitOf(),
    durability: (await durabilityOf({ stack })).explanation,
    at: new Date().toISOString(),
  };
};

/**
 * What the system says of itself.
 *
 * @param {Pick<import('./stack.mjs').System, 'stack'>} system
 * @returns {Promise<{ survives: 'process-death' | 'power-loss', explanation: string }>}
 */
export const durabilityOf = async ({ stack }) => {
  const answer = await fetch(`${stack.url}/readyz`);
  const { durability } = /** @type {any} */ (await answer.json());
  return durability;
};

/** Of the machine before anything was started: what others did meanwhile. */
const LOAD_BEFORE = Math.round((loadavg()[0] ?? 0) * 100) / 100;

const commitOf = () => {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' }).trim();
  return (
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '-dirty')
  );
};

/**
 * @param {string} name of the file: `latest`
 * @param {Circumstances & { figures: readonly import('./figures.mjs').Figure[] }} results
 * @returns {string} its path
 */
export const writeResults = (name, results) => {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.json`);
  // At once: an interrupted process may end at the next turn.
  writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`);
  return path;
};
