import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { postgresUnderTest, type PostgresUnderTest } from '#testing';
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
    await runner.query('SELECT pg_sleep(0.05)'); // Long enough for the others to come too early.
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

const ALL = [First1000000000000, Second1000000000001];
const tables = async (): Promise<string[]> => {
  const database = await Database.open({ url: postgres.url, applicationName: 't', entities: [] });
  const rows = await database.sql.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  await database.close();
  return rows.map(({ name }) => name);
};

describe('migrating', () => {
  it('runs each migration once, however many processes start at once', async () => {
    const ran = await Promise.all(
      Array.from({ length: 5 }, () => migrate({ url: postgres.url, migrations: ALL })),
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
