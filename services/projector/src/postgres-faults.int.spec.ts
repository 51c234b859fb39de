import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Database, migrate, type Sql } from '#postgres';
import { waitUntil } from '#testing';
import { MIGRATIONS } from '../../../migrations/index.js';
import { auditCheckpoints, brokenMoves } from './audit.fixture.js';
import { folded, projected } from './folds.fixture.js';
import { Histories } from './histories.fixture.js';
import { startService, untilReadyIs, type ServiceUnderTest } from './service-under-test.fixture.js';
import { storesUnderTest, type StoresUnderTest } from './stores-under-test.fixture.js';

let stores: StoresUnderTest;
let histories: Histories;
const written: Histories[] = [];
const started: ServiceUnderTest[] = [];
const holders: Client[] = [];

beforeAll(async () => {
  stores = await storesUnderTest();
  histories = historiesOf(5, '');
  await auditCheckpoints(stores.database.sql);
});
afterAll(() => stores?.stop());
afterEach(async () => {
  await Promise.all(holders.splice(0).map((holder) => holder.end()));
  await Promise.all(started.splice(0).map((service) => service.stop()));
}, 60_000);

const historiesOf = (seed: number, prefix: string): Histories => {
  const some = new Histories(stores.store, seed, prefix);
  written.push(some);
  return some;
};
const steps = async (count: number): Promise<void> => {
  for (let step = 0; step < count; step += 1) await histories.step();
};
const start = async (
  program: 'main' | 'migrate',
  databaseUrl?: string,
): Promise<ServiceUnderTest> => {
  const own = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const service = await startService('projector', { ...stores.environment, ...own }, program);
  started.push(service);
  return service;
};
const ends = (service: ServiceUnderTest) => waitUntil('its end', () => service.ended(), 60_000);

interface Problem {
  readonly projection?: string;
  readonly err: { readonly code?: string; readonly message: string };
}
/** The problems that a service has put in its log, oldest first. */
const problemsOf = (service: ServiceUnderTest): readonly Problem[] =>
  service
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"err"'))
    .map((line) => JSON.parse(line) as Problem);

/** Rows equal the folds, and every checkpoint went from 0 to the end without a step that was made twice or left out. */
const expectEverythingOnce = async (): Promise<void> => {
  await stores.caughtUp();
  const { sql } = stores.database;
  expect(await projected(sql)).toEqual(folded(...written));
  expect(await brokenMoves(sql, await stores.store.end())).toEqual([]);
};

describe('three projectors that start at once on an empty database, as do three migrations', () => {
  /** Who follows each projection; undefined while one of the four is followed by nobody, or by more than one. */
  const followers = async (
    alive: readonly ServiceUnderTest[],
  ): Promise<ReadonlyMap<string, ServiceUnderTest> | undefined> => {
    const following: [string, ServiceUnderTest][] = [];
    for (const service of alive) {
      const { detail } = ((await service.readiness())?.checks['projections'] ?? {}) as {
        readonly detail?: readonly { readonly name: string; readonly state: string }[];
      };
      for (const { name, state } of detail ?? [])
        if (state === 'following') following.push([name, service]);
    }
    const byName = new Map(following);
    return following.length === 5 && byName.size === 5 ? byName : undefined;
  };

  it('wait for the schema; one is active until it is killed, then another; nothing is applied twice', async () => {
    await steps(60);
    const programs = ['main', 'main', 'main', 'migrate', 'migrate', 'migrate'] as const;
    const all = await Promise.all(programs.map((program) => start(program)));
    const [projectors, migrations] = [all.slice(0, 3), all.slice(3)];
    for (const migration of migrations) await ends(migration);
    expect(migrations.map((one) => [one.ended(), one.log()])).toEqual(
      Array(3).fill([{ code: 0, signal: null }, '']),
    );
    for (const projector of projectors) await untilReadyIs(projector, 200);

    let alive = projectors;
    while (alive.length > 1) {
      const active = await waitUntil('one that follows each projection', () => followers(alive));
      const victim = active.get('runs')!;
      await steps(40);
      victim.kill('SIGKILL');
      await steps(40);
      alive = alive.filter((one) => one !== victim);
      await stores.caughtUp();
    }
    await waitUntil('the last one to follow all of them', () => followers(alive));
    await expectEverythingOnce();
  }, 300_000);
});

/** In order, as `pg_ctl stop -m fast` ends it; and by SIGKILL, which leaves its recovery to the next start. */
const FAULTS = [
  { id: '@FM-57', ends: 'is restarted', end: () => stores.postgres.server.stop(), code: '57P01' },
  { id: '@FM-58', ends: 'is killed', end: () => stores.postgres.server.kill(), code: undefined },
] as const;
/** What the driver says of a connection that ended without a word. */
const LOST = 'Connection terminated unexpectedly';
const expectFirst = (problem: Problem | undefined, code: string | undefined): void => {
  expect(problem?.err.code).toBe(code);
  if (code === undefined) expect(problem?.err.message).toBe(LOST);
};

/** A connection of its own that holds a lock in an open transaction, for as long as its server lives. */
const holding = async (databaseUrl: string, statement: string): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  holders.push(client);
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement);
};
/** Waits until a program, perhaps one that is still starting, waits for that lock; the number of its connection. */
const waitsInside = (applicationName: string): Promise<number> =>
  waitUntil(
    `${applicationName} to wait inside of its transaction`,
    async () => {
      const [waiting] = await stores.database.sql.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
        [applicationName],
      );
      return waiting?.pid;
    },
    60_000,
  );
/** The tables that the open transaction of a connection has written into. */
const writtenBy = async (pid: number): Promise<readonly string[]> => {
  const rows = await stores.database.sql.query<{ name: string }>(
    `SELECT DISTINCT relname AS name FROM pg_locks JOIN pg_class ON pg_class.oid = relation
     WHERE pid = $1 AND granted AND mode = 'RowExclusiveLock' AND relkind = 'r' ORDER BY 1`,
    [pid],
  );
  return rows.map(({ name }) => name);
};

describe('a projector inside of whose transaction Postgres', () => {
  beforeAll(() => migrate({ url: stores.postgres.url, migrations: MIGRATIONS }));

  /** All that the projection of runs has committed. */
  const committed = () =>
    stores.database.sql.query(`
      SELECT (SELECT to_jsonb(c) FROM projection_checkpoint c WHERE name = 'runs') AS checkpoint,
        (SELECT jsonb_agg(to_jsonb(r) ORDER BY run_id) FROM run_view r) AS runs,
        (SELECT jsonb_agg(to_jsonb(p) ORDER BY run_id) FROM run_prompt p) AS prompts`);

  it.each(FAULTS)(
    '$id $ends logs that error, keeps nothing of the batch, and goes on from its checkpoint',
    async ({ id, end, code }) => {
      const projector = await start('main');
      await untilReadyIs(projector, 200);
      await stores.caughtUp();
      const before = await committed();
      await holding(stores.postgres.url, 'LOCK TABLE run_view IN EXCLUSIVE MODE');
      // The first step of a history submits a run: its prompt is written before its row, which has to wait.
      await historiesOf(9, `${id.slice(1)}-`).step();
      const open = await writtenBy(await waitsInside('projector'));
      expect(open).toEqual(expect.arrayContaining(['projection_checkpoint', 'run_prompt']));

      await end();
      const ofRuns = ({ projection }: Problem): boolean => projection === 'runs';
      const first = () => problemsOf(projector).find(ofRuns);
      expectFirst(await waitUntil('the problem in its log', first), code);
      projector.kill('SIGSTOP'); // So that it can't write the batch again before somebody has looked.
      await stores.postgres.server.restart();
      expect(await committed()).toEqual(before);

      projector.kill('SIGCONT');
      await steps(20);
      await expectEverythingOnce();
      expect(projector.ended()).toBeUndefined();
    },
    240_000,
  );
});

describe('a migration inside of which Postgres', () => {
  const tables = async (sql: Sql): Promise<readonly string[]> => {
    const rows = await sql.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    return rows.map(({ name }) => name);
  };

  it.each(FAULTS)(
    '$id $ends says that error, leaves nothing, and can be run again',
    async ({ id, end, code }) => {
      const name = id.replace(/\W/g, '').toLowerCase();
      await stores.database.sql.execute(`CREATE DATABASE ${name}`);
      const url = stores.postgres.url.replace(/[^/]*$/, name);
      // The migration makes other tables before this one, and then waits for what becomes of it.
      await holding(url, 'CREATE TABLE run_view ()');
      const migration = await start('migrate', url);
      await waitsInside('holdfast-migrate');

      await end();
      expect(await ends(migration)).toEqual({ code: 1, signal: null });
      expectFirst(problemsOf(migration)[0], code);
      await stores.postgres.server.restart();
      const database = await Database.open({ url, applicationName: 'test', entities: [] });
      expect(await tables(database.sql)).toEqual(['migration']);
      expect(await database.sql.query('SELECT name FROM migration')).toEqual([]);

      const again = await start('migrate', url);
      expect(await ends(again)).toEqual({ code: 0, signal: null });
      expect(await tables(database.sql)).toContain('run_view');
      await database.close();
    },
    240_000,
  );
});
