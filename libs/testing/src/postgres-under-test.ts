import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '#local-stack';

/** A real Postgres of a test's own, and the way to end it. */
export interface PostgresUnderTest {
  readonly server: PostgresServer;
  /** Of an empty database, with its password. */
  readonly url: string;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
}

/** Starts a real Postgres on a free port, with empty data in a temporary folder. */
export const postgresUnderTest = async (): Promise<PostgresUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
  const server = await PostgresServer.start({ folder });
  return {
    server,
    url: server.databaseUrl,
    stop: async () => {
      await server.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
