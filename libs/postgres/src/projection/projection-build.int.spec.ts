import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '#event-store';
import { InMemoryEventFeed } from '#event-store/in-memory';
import { postgresUnderTest, waitUntil, type PostgresUnderTest } from '#testing';
import type { Database } from '../database.js';
import type { TransactionSql } from '../sql.js';
import type { BuildBounds } from './projection-build.js';
import { ProjectionGroup } from './projection-group.js';
import type { ProjectionStatus, TableOfBuild } from './projection.js';
import { resetProjection } from './reset.js';
import type { TableProjection } from './table-projection.js';
import {
  RestorableStore,
  add,
  makeTables,
  openTallies,
  tallyProjection,
  type TallyRow,
} from './tally.fixture.js';

let postgres: PostgresUnderTest;
let database: Database;
let store: RestorableStore;
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  postgres = await postgresUnderTest();
});
afterAll(async () => {
  await postgres.stop();
});
beforeEach(async () => {
  database = await openTallies(postgres.url);
  await makeTables(database);
  await database.sql.execute('DROP SCHEMA IF EXISTS building CASCADE');
  store = new RestorableStore();
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await database.close();
});

/** Every projection that begins is built, and writes after each batch. */
const AT_ONCE: BuildBounds = {
  commitsMin: 1,
  rowsMax: 1,
  charactersMax: Infinity,
  holdMaxMs: Infinity,
};

interface Started {
  readonly problems: unknown[];
  /** What it was in, in this order. */
  readonly states: string[];
  readonly status: () => ProjectionStatus;
  stop(): Promise<void>;
}

const start = (
  build: Partial<BuildBounds>,
  projection: TableProjection<TallyRow> = tallyProjection(database),
  events: EventStore = store,
): Started => {
  const problems: unknown[] = [];
  const states: string[] = [];
  const group = new ProjectionGroup({
    database,
    store: events,
    locks: { tryAcquire: async () => true, onLost: () => () => undefined },
    observer: {
      written: () => states.push(group.statuses[0]!.state),
      finding: (_projection, finding) => problems.push(finding),
      problem: (_projection, problem) => problems.push(problem),
    },
    projections: [projection],
    feed: new InMemoryEventFeed(store),
    batchMax: 10,
    build,
  });
  const ending = new AbortController();
  const ran = group.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort();
    await ran;
  };
  running.push(stop);
  return { problems, states, status: () => group.statuses[0]!, stop };
};

const FOLLOWED: Partial<BuildBounds> = { commitsMin: Infinity };
const follow = async (): Promise<void> => {
  const followed = start(FOLLOWED);
  await caughtUp();
  await followed.stop();
};

/** The live checkpoint: that of tables which are being built stands beside it. */
const caughtUp = async (): Promise<void> => {
  const end = await store.end();
  await waitUntil(`the live rows to contain ${end}`, async () => {
    const [live] = await database.sql.query<{ sequence: number }>(
      `SELECT sequence FROM projection_checkpoint WHERE generation = '1'`,
    );
    return live?.sequence === end;
  });
};
const rows = async (): Promise<unknown> =>
  database.sql.query(`SELECT to_jsonb(t) - 'change' AS row FROM tally t ORDER BY id`);
const checkpoints = async (): Promise<unknown> =>
  database.sql.query('SELECT generation, sequence FROM projection_checkpoint ORDER BY generation');
/** As somebody does who wants the rows anew, and read until then. */
const forgetCheckpoint = async (): Promise<void> => {
  await database.sql.execute('DELETE FROM projection_checkpoint');
};

const NOTES = ['plain', 'tab\t, line\n, \r, \\ and \\N', '', '\\.', 'nul \u0000, half \ud800, 🙂'];
/** The same each time. */
const history = async (commits: number, ids = 7): Promise<void> => {
  for (let n = 0; n < commits; n += 1) {
    const at = n % 3 === 0 ? { at: 1_764_400_000_000 + n * 777 } : {};
    await add(store, `a${(n * 5) % ids}`, { amount: n, note: NOTES[n % NOTES.length]!, ...at });
  }
};

/** A projection whose build is met at the beginning and at the end of each write. */
const met = (
  meet: (when: 'before' | 'after', sql: TransactionSql) => Promise<void>,
): TableProjection<TallyRow> => {
  const projection = tallyProjection(database);
  const builds = projection.builds.bind(projection);
  return Object.assign(projection, {
    builds: () => builds().map((table) => metTable(table, meet)),
  });
};
const metTable = <Table extends TableOfBuild>(
  table: Table,
  meet: (when: 'before' | 'after', sql: TransactionSql) => Promise<void>,
): Table => {
  const flush = table.flush.bind(table);
  return Object.assign(table, {
    flush: async (...given: Parameters<typeof flush>) => {
      await meet('before', given[0]);
      const written = await flush(...given);
      await meet('after', given[0]);
      return written;
    },
  });
};

describe('tables that are built', () => {
  it.each([
    ['in one write', { ...AT_ONCE, rowsMax: 1_000 }],
    ['in many writes, over rows that are written again', AT_ONCE],
    ['in as many writes as their texts need', { ...AT_ONCE, rowsMax: 1_000, charactersMax: 200 }],
  ])('%s have the rows that following gives', async (_name, build) => {
    await history(150);
    const built = start(build);
    await caughtUp();
    await add(store, 'a1', { amount: 1 }); // It is followed from there on.
    await caughtUp();
    expect(built.states[0]).toBe('building');
    await built.stop();
    const found = await rows();
    await resetProjection(database, tallyProjection(database));
    await follow();
    expect(found).toEqual(await rows());
    expect(built.problems).toEqual([]);
  });

  it('are not seen before they are whole: until then the old rows are read', async () => {
    await history(40);
    await follow();
    const before = await rows();
    await forgetCheckpoint();
    const seen: unknown[] = [];
    start(
      AT_ONCE,
      met(async () => {
        seen.push(await rows());
      }),
    );
    await caughtUp();
    expect(seen.length).toBeGreaterThan(4);
    for (const one of seen) expect(one).toEqual(before);
    expect(await rows()).toEqual(before);
  });

  it('replace rows that their checkpoint does not know of, however short the stream is', async () => {
    await history(3);
    await follow();
    await database.sql.execute(`UPDATE tally SET total = 999`);
    await forgetCheckpoint();
    start({});
    await caughtUp();
    expect(await database.sql.query('SELECT * FROM tally WHERE total = 999')).toEqual([]);
  });

  it('go on where they were when the database dies, before or after any of their writes', async () => {
    await history(100);
    await follow();
    const followed = await rows();
    await resetProjection(database, tallyProjection(database));
    let meetings = 0;
    const dying = met(async (_when, sql) => {
      meetings += 1;
      if (meetings % 3 === 0) await sql.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    const built = start(AT_ONCE, dying);
    await waitUntil('it to be built', () => built.status().state === 'following');
    expect(built.problems.length).toBeGreaterThan(3);
    expect(await rows()).toEqual(followed);
    expect(await checkpoints()).toEqual([{ generation: '1', sequence: 100 }]);
  });

  it('go on in another process, behind the last write', async () => {
    await history(100);
    let writes = 0;
    const first = start(
      AT_ONCE,
      met(async (when) => {
        if (when === 'before' && (writes += 1) === 4) throw new Error('killed');
      }),
    );
    await waitUntil('its end', () => first.problems.length > 0);
    await first.stop();
    expect(await checkpoints()).toEqual([
      { generation: '1', sequence: 0 },
      { generation: 'building', sequence: 30 },
    ]);
    const second = start(AT_ONCE);
    await caughtUp();
    await second.stop();
    const built = await rows();
    await resetProjection(database, tallyProjection(database));
    await follow();
    expect(built).toEqual(await rows());
  });

  it('are begun anew when they have another shape, or another stream', async () => {
    await history(60);
    const beginAndLeave = async (): Promise<void> => {
      const leaving = met(async (when) => {
        if (when === 'after') throw new Error('killed');
      });
      const begun = start({ ...AT_ONCE, rowsMax: 1 }, leaving);
      await waitUntil('its end', () => begun.problems.length > 0);
      await begun.stop();
    };
    await beginAndLeave();
    await database.sql.execute(
      `UPDATE projection_checkpoint SET sequence = 10, hash = 'another' WHERE generation = 'building'`,
    );
    const other = start(AT_ONCE);
    await caughtUp();
    await other.stop();
    const built = await rows();
    await forgetCheckpoint();
    await beginAndLeave();
    const at10 = (await store.at(10))!.bodyHash;
    await database.sql.execute('ALTER TABLE building.tally DROP COLUMN note');
    await database.sql.execute(
      `UPDATE projection_checkpoint SET sequence = 10, hash = '${at10}' WHERE generation = 'building'`,
    );
    start(AT_ONCE);
    await caughtUp();
    expect(await rows()).toEqual(built);
  });

  it('stay correct when two build them at once, without any lock', async () => {
    await history(200);
    const both = [start(AT_ONCE), start(AT_ONCE)];
    await caughtUp();
    const built = await rows();
    for (const { stop } of both) await stop();
    await resetProjection(database, tallyProjection(database));
    await follow();
    expect(built).toEqual(await rows());
  });

  it('do not take the place of rows that somebody follows already', async () => {
    await history(30);
    let isFirst = true;
    const overtaken = start(
      AT_ONCE,
      met(async () => {
        if (!isFirst) return;
        isFirst = false;
        await follow();
      }),
    );
    await waitUntil('it to follow too', () => overtaken.status().state === 'following');
    expect(await checkpoints()).toEqual([{ generation: '1', sequence: 30 }]);
    expect(String(overtaken.problems[0])).toContain('moved on by another process');
  });
});

describe('what was built', () => {
  it('has the indexes, the key and the readers of what was there before', async () => {
    const looks = async (): Promise<unknown> => [
      await database.sql.query(
        `SELECT indexdef FROM pg_indexes WHERE tablename = 'tally' AND schemaname = 'public' ORDER BY 1`,
      ),
      await database.sql.query(
        `SELECT conname, pg_get_constraintdef(oid) AS is FROM pg_constraint
         WHERE conrelid = 'public.tally'::regclass AND contype = 'p'`,
      ),
      await database.sql.query(
        `SELECT privilege_type FROM pg_class, aclexplode(relacl)
         WHERE relname = 'tally' AND grantee = 'tally_reader'::regrole`,
      ),
    ];
    await database.sql.execute('CREATE ROLE tally_reader');
    await database.sql.execute('GRANT SELECT ON tally TO tally_reader');
    const before = await looks();
    await history(20);
    start(AT_ONCE);
    await caughtUp();
    expect(await looks()).toEqual(before);
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).toEqual([]);
  });

  it('is news to whoever reads on from any number, also from one that was given meanwhile', async () => {
    await history(40);
    await follow();
    await forgetCheckpoint();
    let newest = 0;
    const built = start(
      AT_ONCE,
      met(async () => {
        const [counted] = await database.sql.query<{ value: number }>(
          'UPDATE change_counter SET value = value + 5 RETURNING value',
        );
        newest = counted!.value; // As another projection takes numbers.
      }),
    );
    await caughtUp();
    const numbers = async (): Promise<readonly number[]> =>
      (await database.sql.query<{ change: number }>('SELECT change FROM tally ORDER BY 1')).map(
        ({ change }) => change,
      );
    const given = await numbers();
    expect(Math.min(...given)).toBeGreaterThan(newest);
    expect(new Set(given).size).toBe(7);
    await waitUntil('it to follow', () => built.status().state === 'following');
    await add(store, 'a1', { amount: 1 });
    await caughtUp();
    expect(Math.max(...(await numbers()))).toBeGreaterThan(Math.max(...given));
  });

  it('waits for a reader that takes its time, while others go on reading', async () => {
    await history(20);
    await follow();
    await forgetCheckpoint();
    const built = start(AT_ONCE);
    await database.transaction(async (sql) => {
      await sql.query('SELECT * FROM tally');
      await waitUntil('it to wait for us', async () => {
        const [waiting] = await sql.query(
          `SELECT 1 FROM pg_locks WHERE relation = 'tally'::regclass AND NOT granted`,
        );
        return waiting;
      });
      await rows(); // Not behind what waits for us.
      expect(built.status().state).toBe('building');
    });
    await waitUntil('it to follow', () => built.status().state === 'following');
    expect(built.problems).toEqual([]);
  });
});
