import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { postgresUnderTest, waitUntil, type PostgresUnderTest } from '#testing';
import { Database } from './database.js';
import { migrate } from './migrate.js';
import { sqlStateOf } from './sql.js';

let postgres: PostgresUnderTest;
beforeAll(async () => {
  postgres = await postgresUnderTest();
});
afterAll(async () => {
  await postgres.stop();
});

class First1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE one (id integer PRIMARY KEY)');
    await waitUntil('all others to want their turn', async () => (await migrating()) >= AT_ONCE);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE one');
  }
}
class Second1000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE two (id integer PRIMARY KEY)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE two');
  }
}
class Broken1000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE three (id integer PRIMARY KEY)');
    await runner.query('SELECT 1/0');
  }
  async down(): Promise<void> {
    throw new Error('never ran');
  }
}

const AT_ONCE = 5;
const ALL = [First1000000000000, Second1000000000001];
const asked = async <Row extends object>(text: string): Promise<readonly Row[]> => {
  const database = await Database.open({ url: postgres.url, applicationName: 't', entities: [] });
  const rows = await database.sql.query<Row>(text);
  await database.close();
  return rows;
};
const tables = async (): Promise<string[]> => {
  const rows = await asked<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
};
/** How many connections of those who migrate there are: one of each that waits for its turn. */
const migrating = async (): Promise<number> =>
  (await asked("SELECT 1 FROM pg_stat_activity WHERE application_name = 'holdfast-migrate'"))
    .length;
/** A statement that fails with this SQLSTATE; a lost connection is a real one. */
const raising = (state: string): string =>
  state === '57P01'
    ? 'SELECT pg_terminate_backend(pg_backend_pid())'
    : `DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${state}'; END $$`;
const takeBack = async (table: string, migration: string): Promise<void> => {
  await asked(`DROP TABLE ${table}`);
  await asked(`DELETE FROM migration WHERE name = '${migration}'`);
};

describe('migrating', () => {
  it('runs each migration once, however many processes start at once', async () => {
    const ran = await Promise.all(
      Array.from({ length: AT_ONCE }, () => migrate({ url: postgres.url, migrations: ALL })),
    );
    expect(ran.flat().sort()).toEqual(['First1000000000000', 'Second1000000000001']);
    expect(await tables()).toEqual(['migration', 'one', 'two']);
  });

  it('does nothing when everything is there', async () => {
    expect(await migrate({ url: postgres.url, migrations: ALL })).toEqual([]);
  });

  it('leaves nothing of a migration that fails, and frees the turn', async () => {
    const failing = migrate({ url: postgres.url, migrations: [...ALL, Broken1000000000002] });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await tables()).toEqual(['migration', 'one', 'two']);
    expect(await migrate({ url: postgres.url, migrations: ALL, withinMs: 5_000 })).toEqual([]);
  });

  it.each([
    // The runner tries five times in all, and only what lost to another transaction.
    { state: '40001', failures: 4, tries: 5, ends: 'done' },
    { state: '40P01', failures: 4, tries: 5, ends: 'done' },
    { state: '40001', failures: Infinity, tries: 5, ends: '40001' },
    { state: '23505', failures: 1, tries: 1, ends: '23505' },
    { state: '57P01', failures: 1, tries: 1, ends: '57P01' },
  ])('@FM-61 that meets $state $failures times ends with $ends', async (of) => {
    let tries = 0;
    class Conflicted1000000000003 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        tries += 1;
        await runner.query('CREATE TABLE four (id integer PRIMARY KEY)');
        if (tries <= of.failures) await runner.query(raising(of.state));
      }
      async down(): Promise<void> {
        throw new Error('never asked for');
      }
    }
    const ended = migrate({
      url: postgres.url,
      migrations: [Conflicted1000000000003],
    }).then(() => 'done', sqlStateOf);
    expect([await ended, tries]).toEqual([of.ends, of.tries]);
    const isDone = of.ends === 'done';
    expect((await tables()).includes('four')).toBe(isDone);
    if (isDone) await takeBack('four', 'Conflicted1000000000003');
  });

  it('@FM-59 tells why its connection was lost between two statements, and leaves nothing', async () => {
    class Cut1000000000004 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE five (id integer PRIMARY KEY)');
        const [{ pid }] = (await runner.query('SELECT pg_backend_pid() AS pid')) as [
          { pid: number },
        ];
        await asked(`SELECT pg_terminate_backend(${pid})`);
        await waitUntil('its connection to be lost', () => problems.length > 0);
        await runner.query('SELECT 1');
      }
      async down(): Promise<void> {
        throw new Error('never ran');
      }
    }
    const problems: unknown[] = [];
    const failing = migrate({
      url: postgres.url,
      migrations: [Cut1000000000004],
      onProblem: (problem) => problems.push(problem),
    });
    await expect(failing).rejects.toMatchObject({ code: '57P01' });
    expect(await tables()).not.toContain('five');
    expect(await migrate({ url: postgres.url, migrations: [], withinMs: 5_000 })).toEqual([]);
  });

  it('says so when there is no database', async () => {
    const hopeless = migrate({
      url: 'postgres://nobody:nothing@127.0.0.1:1/none',
      migrations: ALL,
      withinMs: 50,
    });
    await expect(hopeless).rejects.toThrow('did not come in time');
  });
});
