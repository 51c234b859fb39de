import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { postgresUnderTest, waitUntil, type PostgresUnderTest } from '#testing';
import { Database } from './database.js';
import { migrate } from './migrate.js';

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

  it('says so when there is no database', async () => {
    const hopeless = migrate({
      url: 'postgres://nobody:nothing@127.0.0.1:1/none',
      migrations: ALL,
      withinMs: 50,
    });
    await expect(hopeless).rejects.toThrow('did not come in time');
  });
});
