import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startLocalStack } from '#local-stack';
import { connectLink, JetStreamEventFeed, JetStreamEventStore } from '#nats';
import { BENCH_NODE, BenchNode } from './bench-node.mjs';

/**
 * @typedef {object} System
 * @property {string} folder on the disk that everything is written to.
 * @property {import('#local-stack').LocalStack} stack
 * @property {BenchNode} node
 * @property {import('#nats').NatsLink} link with the administrator's rights.
 * @property {JetStreamEventStore} store
 * @property {JetStreamEventFeed} feed
 * @property {pg.Client} database
 */

/** Every service but the node-agent, which has no programs here. @type {readonly import('#local-stack').ServiceName[]} */
const SERVICES = ['commands', 'sagas', 'projector', 'queries', 'reconciler', 'gateway'];

/**
 * Brings up a whole system of real processes in a folder of its own, measures, and removes it.
 *
 * @template T
 * @param {(system: System) => Promise<T>} measure
 * @param {{ readonly syncWrites?: boolean }} options default: every write is synced where the broker can.
 * @returns {Promise<T>}
 */
export const withSystem = async (measure, options = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'hf-'));
  const stack = await startLocalStack({
    home: join(folder, 'home'),
    nodes: [BENCH_NODE],
    services: SERVICES,
    logLevel: 'warn',
    ...options,
  });
  const node = await BenchNode.start(
    join(folder, 'node'),
    stack.natsUrlFor({ node: BENCH_NODE.id, workspace: BENCH_NODE.workspace }),
  ).catch(async (cause) => {
    await stack.destroy();
    throw cause;
  });
  const link = await connectLink({ url: stack.natsUrlFor('admin'), name: 'bench' });
  const database = new pg.Client({ connectionString: stack.databaseUrl });
  database.on('error', () => undefined); // Its server is ended before it when we are interrupted.
  try {
    await database.connect();
    const store = new JetStreamEventStore(link);
    const feed = new JetStreamEventFeed(link);
    const system = { folder, stack, node, link, store, feed, database };
    return await Promise.race([measure(system), interruption()]);
  } finally {
    await database.end();
    await link.close();
    await node.stop();
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
    `SELECT sequence::float8 AS position FROM projection_checkpoint WHERE name = 'runs' AND generation = '1'`,
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
