import { load } from './lib/load.mjs';
import { quantile } from './lib/quantile.mjs';
import { measureRound } from './lib/round.mjs';
import { PEERS } from './peers/index.mjs';

/** As few rounds as a median may have. */
export const ROUNDS_MIN = 5;

/**
 * A figure, as `npm run bench` has them. It is absolute: its denominator is 1, or the seconds that the jobs took.
 *
 * @typedef {object} Figure
 * @property {string} id `peer.<name>.<figure>`
 * @property {string} what in words.
 * @property {number} value the median of its rounds.
 * @property {string} unit
 * @property {number} runs rounds.
 * @property {number} lowest of all rounds
 * @property {number} highest of all rounds
 * @property {number} numerator
 * @property {number} denominator
 *
 * @typedef {import('./lib/round.mjs').Round} Round
 */

/** @type {readonly { id: string, what: string, of: (round: Round) => number }[]} */
const LATENCIES = [
  { id: 'accept.p50', what: 'accepting, one in flight, p50', of: (round) => round.acceptP50 },
  { id: 'accept64.p50', what: 'accepting, 64 in flight, p50', of: (round) => round.accept64P50 },
  { id: 'accept64.p99', what: 'accepting, 64 in flight, p99', of: (round) => round.accept64P99 },
  { id: 'dispatch.p50', what: 'from accepted to started, p50', of: (round) => round.dispatchP50 },
];

/**
 * Measures the peers in rounds: each peer once a round, in an order that moves on by one.
 *
 * @param {object} of
 * @param {number} of.jobs how many jobs the rate is measured over, in each round of each peer.
 * @param {number} of.rounds at least {@link ROUNDS_MIN}.
 * @param {string} of.databaseUrl of a Postgres whose user may create databases; each peer gets one of its own.
 * @param {readonly string[]} [of.only] names of peers; absent: all.
 * @param {(round: Round & { round: number }) => void} [of.onProgress]
 * @param {(round: number) => Promise<void>} [of.alongside] measures something else once a round, between the peers.
 * @returns {Promise<{ figures: readonly Figure[], rounds: readonly Round[],
 *   durability: Record<string, string>, versions: Record<string, string> }>}
 * @throws {Error} a job is missing, was run twice, or has another outcome; or the server does not sync.
 */
export const measurePeers = async ({ jobs, rounds, databaseUrl, only, onProgress, alongside }) => {
  const peers = PEERS.filter(({ name }) => only === undefined || only.includes(name));
  const { default: pg } = await load('pg');
  const admin = new pg.Client({ connectionString: databaseUrl });
  admin.on('error', () => undefined); // Whoever asks next is told.
  await admin.connect();
  /** @type {{ peer: import('./lib/peer.mjs').Peer, url: string, database: import('pg').Client }[]} */
  const opened = [];
  try {
    const durability = await durabilityOf(admin);
    for (const peer of peers) opened.push(await openPeer(peer, admin, pg, databaseUrl));
    /** @type {Round[]} */
    const measured = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = round % opened.length;
      for (const { peer, ...place } of [...opened.slice(first), ...opened.slice(0, first)]) {
        const result = await measureRound(peer, { ...place, batch: `r${round}`, jobs });
        measured.push(result);
        onProgress?.({ ...result, round });
      }
      await alongside?.(round);
    }
    const figures = peers.flatMap(({ name }) =>
      figuresOf(
        name,
        measured.filter(({ peer }) => peer === name),
      ),
    );
    return { figures, rounds: measured, durability, versions: await versionsOf(admin, peers) };
  } finally {
    for (const { database } of opened) await database.end();
    for (const { peer } of opened)
      await admin.query(`DROP DATABASE IF EXISTS ${databaseOf(peer)} WITH (FORCE)`);
    await admin.end();
  }
};

/** @param {string} name @param {readonly Round[]} rounds @returns {readonly Figure[]} */
const figuresOf = (name, rounds) => {
  /** @param {string} id @param {string} what @param {string} unit @param {readonly number[]} values */
  const figure = (id, what, unit, values) => ({
    id: `peer.${name}.${id}`,
    what: `${name}: ${what}`,
    value: quantile(values, 0.5),
    unit,
    runs: values.length,
    lowest: Math.min(...values),
    highest: Math.max(...values),
    numerator: quantile(values, 0.5),
    denominator: 1,
  });
  const jobs = rounds[0]?.jobs ?? 0;
  const rate = figure(
    'rate',
    'jobs completed',
    '/s',
    rounds.map((round) => round.rate),
  );
  return [
    ...LATENCIES.map(({ id, what, of }) => figure(id, what, 'ms', rounds.map(of))),
    { ...rate, numerator: jobs, denominator: jobs / rate.value },
  ];
};

/** @param {import('./lib/peer.mjs').Peer} peer */
const databaseOf = ({ name }) => `bench_${name.replaceAll('-', '_')}`;

/**
 * @param {import('./lib/peer.mjs').Peer} peer
 * @param {import('pg').Client} admin
 * @param {typeof import('pg')} pg
 * @param {string} databaseUrl
 */
const openPeer = async (peer, admin, pg, databaseUrl) => {
  const name = databaseOf(peer);
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const database = new pg.Client({ connectionString: url.href });
  database.on('error', () => undefined); // Whoever asks next is told.
  await database.connect();
  return { peer, url: url.href, database };
};

/** What makes a commit survive, as the server has it. */
const DURABILITY = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];

/** @param {import('pg').Client} admin @returns {Promise<Record<string, string>>} */
const durabilityOf = async (admin) => {
  const { rows } = await admin.query(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
    [DURABILITY],
  );
  const durability = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  for (const name of ['fsync', 'synchronous_commit'])
    if (durability[name] !== 'on')
      throw new Error(
        `${name} is ${durability[name]}: what is accepted must be durable, set it to on`,
      );
  return durability;
};

/** @param {import('pg').Client} admin @param {readonly import('./lib/peer.mjs').Peer[]} peers */
const versionsOf = async (admin, peers) => {
  const { default: manifest } = await import('./package.json', { with: { type: 'json' } });
  /** @type {Record<string, string>} */
  const packages = manifest.dependencies;
  const { rows } = await admin.query('SHOW server_version');
  const own = peers.map(({ packageName }) => [packageName, packages[packageName] ?? 'unknown']);
  return {
    node: process.versions.node,
    postgres: rows[0].server_version,
    ...Object.fromEntries(own),
  };
};
