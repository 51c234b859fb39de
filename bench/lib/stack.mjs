import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startLocalStack } from '#local-stack';
import { connectLink, JetStreamEventFeed, JetStreamEventStore } from '#nats';

/** The agent of the benchmarks: the smallest program there is, so that what is measured is not the program. */
export const AGENT = 'echo';

/** @param {string} folder @returns {import('#local-stack').LocalNode} */
const nodeOf = (folder) => ({
  id: 'bench',
  name: `bench in ${folder}`,
  workspace: 'main',
  capabilities: [],
  capacity: 0,
  maxRuns: 16,
  agents: [{ name: AGENT, runtime: 'cli', argv: ['/bin/echo', '{prompt}'], promptBy: 'argument' }],
});

/**
 * @typedef {object} System
 * @property {import('#local-stack').LocalStack} stack
 * @property {import('#nats').NatsLink} link with the administrator's rights.
 * @property {JetStreamEventStore} store
 * @property {JetStreamEventFeed} feed
 * @property {pg.Client} database
 */

/**
 * Brings up a whole system of real processes in a folder of its own, measures, and removes it.
 *
 * @template T
 * @param {(system: System) => Promise<T>} measure
 * @returns {Promise<T>}
 */
export const withSystem = async (measure) => {
  const folder = await mkdtemp(join(tmpdir(), 'hf-'));
  const stack = await startLocalStack({
    home: join(folder, 'home'),
    nodes: [nodeOf(folder)],
    logLevel: 'warn',
  });
  const link = await connectLink({ url: stack.natsUrlFor('admin'), name: 'bench' });
  const database = new pg.Client({ connectionString: stack.databaseUrl });
  database.on('error', () => undefined); // Its server is ended before it when we are interrupted.
  try {
    await database.connect();
    const store = new JetStreamEventStore(link);
    const system = { stack, link, store, feed: new JetStreamEventFeed(link), database };
    return await Promise.race([measure(system), interruption()]);
  } finally {
    await database.end();
    await link.close();
    await stack.destroy();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Ctrl-C came: what was measured so far has been printed. */
export class Interrupted extends Error {}

/** Rejects at Ctrl-C; what is being measured then fails, as it must, while the system goes down. @returns {Promise<never>} */
const interruption = () =>
  new Promise((_resolve, reject) => {
    const interrupt = () => {
      process.on('unhandledRejection', () => undefined);
      reject(new Interrupted());
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  });

/** Up to where the rows of runs contain the stream. The others save a position that changes none of their rows now and then. @param {pg.Client} database */
export const runsPositionOf = async (database) => {
  const { rows } = await database.query(
    `SELECT sequence::float8 AS position FROM projection_checkpoint WHERE name = 'runs'`,
  );
  return Number(rows[0]?.position ?? 0);
};

/** Up to where every projection contains the stream. @param {pg.Client} database */
export const positionOf = async (database) => {
  const { rows } = await database.query(
    'SELECT min(sequence)::float8 AS position, count(*)::int AS projections FROM projection_checkpoint',
  );
  const [{ position, projections }] = rows;
  return { position: Number(position ?? 0), projections: Number(projections) };
};
