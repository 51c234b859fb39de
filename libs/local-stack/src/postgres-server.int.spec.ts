import { afterAll, beforeAll, describe, it, expect } from '@jest/globals';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PostgresServer } from './postgres-server.js';
import { identityOf } from './process-identity.js';

let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  // Closed to everybody else, as root's home is.
  folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
  server = await PostgresServer.start({ folder: join(folder, 'postgres') });
});

afterAll(async () => {
  await server.destroy();
  await rm(folder, { recursive: true, force: true });
});

const query = async (url: string, text: string): Promise<readonly unknown[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
};

describe('a Postgres of our own', () => {
  it('recovers what it acknowledged after SIGKILL, under the same address', async () => {
    const { databaseUrl, pid } = server;
    await query(databaseUrl, 'CREATE TABLE kept (n int)');
    await query(databaseUrl, 'INSERT INTO kept VALUES (1), (2), (3)');

    await server.kill();
    expect(identityOf(pid)).toBeUndefined();
    await server.restart();

    expect(server.databaseUrl).toBe(databaseUrl);
    expect(await query(databaseUrl, 'SELECT n FROM kept ORDER BY n')).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
  });

  it('keeps its data and password when it is prepared anew', async () => {
    await query(server.databaseUrl, 'CREATE TABLE also_kept (n int)');
    await server.stop();
    server = await PostgresServer.start({ folder: join(folder, 'postgres') });
    expect(await query(server.databaseUrl, 'SELECT count(*)::int FROM also_kept')).toEqual([
      { count: 0 },
    ]);
  });

  it('wants its password, which only its owner can read', async () => {
    const wrong = new URL(server.databaseUrl);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(join(folder, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
  });

  it('listens on loopback only', async () =>
    expect(await query(server.databaseUrl, 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]));

  it('refuses to share its data with a second one', async () => {
    const second = PostgresServer.start({ folder: join(folder, 'postgres') });
    await expect(second).rejects.toThrow(/another Postgres \(process \d+\) is running/);
  });
});
