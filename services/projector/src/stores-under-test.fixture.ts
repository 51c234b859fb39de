import { JetStreamEventStore, assertTopology, connectLink } from '#nats';
import { Database } from '#postgres';
import { natsServerUnderTest, postgresUnderTest, waitUntil } from '#testing';
import type { PostgresUnderTest } from '#testing';

/** A broker with an empty stream, an empty database, and a test's own connections to both. */
export interface StoresUnderTest {
  readonly postgres: PostgresUnderTest;
  readonly store: JetStreamEventStore;
  readonly database: Database;
  /** What a service needs to find them. Its log has warnings and worse. */
  readonly environment: Readonly<Record<string, string>>;
  /** Waits until every row contains everything. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

export const storesUnderTest = async (): Promise<StoresUnderTest> => {
  const [nats, postgres] = await Promise.all([natsServerUnderTest(), postgresUnderTest()]);
  const link = await connectLink({ url: nats.url, name: 'test' });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  const store = new JetStreamEventStore(link);
  const database = await Database.open({
    url: postgres.url,
    applicationName: 'test',
    entities: [],
  });
  return {
    postgres,
    store,
    database,
    environment: { NATS_URL: nats.url, DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' },
    caughtUp: async () => {
      const end = await store.end();
      await waitUntil(
        `all rows to contain ${end}`,
        async () => {
          const rows = await database.sql.query<{ sequence: number }>(
            'SELECT sequence FROM projection_checkpoint',
          );
          return rows.length === 5 && rows.every(({ sequence }) => sequence >= end);
        },
        60_000,
      );
    },
    stop: async () => {
      await database.close();
      await link.close();
      await nats.stop();
      await postgres.stop();
    },
  };
};
