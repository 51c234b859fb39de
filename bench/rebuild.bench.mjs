import { setTimeout as pause } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { positionOf } from './lib/stack.mjs';
import { appendWaitingRun } from './lib/waiting-run.mjs';

const COMMITS_MIN = 20_000;
const AT_ONCE = 64;
const LOOK_EVERY_MS = 20;

/**
 * How fast all read models are made anew, against how fast the same stream can be read and parsed at all.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const rebuild = async ({ system, ledger }) => {
  const { store, database } = system;
  await fill(store);
  const end = await store.end();
  const { projections: known } = await positionOf(database);
  const caughtUp = async () => {
    for (;;) {
      const { position, projections } = await positionOf(database);
      if (projections === known && position >= end) return;
      await pause(LOOK_EVERY_MS);
    }
  };
  await caughtUp();
  const before = await rowsOf(database);
  const building = performance.now();
  await throwAway(database);
  await caughtUp();
  const builtMs = performance.now() - building;
  const after = await rowsOf(database);
  if (before !== after) throw new Error(`void: the rows were ${before}, and are ${after}`);
  const replayed = await replay(system, end);
  ledger.add(
    'rebuild.rate',
    {
      what: `all ${known} read models made anew`,
      of: 'events/s',
      against: 'replay and JSON.parse of the same stream',
      goal: { atLeast: 0.3 },
    },
    { numerator: (replayed.events * 1_000) / builtMs, denominator: replayed.rate },
  );
};

/** As a rebuild does: its writers step down, and begin anew. @param {import('pg').Client} database */
const throwAway = async (database) => {
  await database.query('BEGIN');
  await database.query('DELETE FROM projection_checkpoint');
  await database.query('TRUNCATE run_view, run_prompt, session_view, agent_view, node_view');
  await database.query('COMMIT');
};

/** Names the rows of runs, in any order. @param {import('pg').Client} database @returns {Promise<string>} */
const rowsOf = async (database) => {
  const { rows } = await database.query(
    `SELECT count(*)::text || ':' || sum(hashtext(run_id || status || generation)::bigint)::text AS sum FROM run_view`,
  );
  return rows[0].sum;
};

/** @param {import('./lib/stack.mjs').System} system @param {number} end */
const replay = async ({ link }, end) => {
  const consumer = await jetstream(link.connection).consumers.get('HF_EVENTS', {
    opt_start_seq: 1,
  });
  const messages = await consumer.consume({ max_messages: 1_000 });
  const from = performance.now();
  let events = 0;
  for await (const message of messages) {
    const body = JSON.parse(Buffer.from(message.data).toString());
    events += Array.isArray(body) ? body.length : body.events.length; // With a snapshot, it is an object.
    if (message.seq >= end) break;
  }
  return { events, rate: (events * 1_000) / (performance.now() - from) };
};

/** At least so many commits: below that, what a rebuild costs to begin with is most of it. @param {import('#nats').JetStreamEventStore} store */
const fill = async (store) => {
  let left = Math.max(0, COMMITS_MIN - (await store.end()));
  const one = async () => {
    while (left-- > 0) await appendWaitingRun(store);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
};
