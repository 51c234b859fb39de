import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamEventStore, assertTopology, connectLink, type NatsLink } from '#nats';
import { Database, migrate } from '#postgres';
import {
  natsServerUnderTest,
  postgresUnderTest,
  waitUntil,
  type NatsServerUnderTest,
  type PostgresUnderTest,
} from '#testing';
import { MIGRATIONS } from '../../../migrations/index.js';
import { Histories } from './histories.fixture.js';
import { startService, untilReadyIs, type ServiceUnderTest } from './service-under-test.fixture.js';

let nats: NatsServerUnderTest;
let postgres: PostgresUnderTest;
let link: NatsLink;
let store: JetStreamEventStore;
let database: Database;
let histories: Histories;
const started: ServiceUnderTest[] = [];

beforeAll(async () => {
  [nats, postgres] = await Promise.all([natsServerUnderTest(), postgresUnderTest()]);
  link = await connectLink({ url: nats.url, name: 'test' });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  store = new JetStreamEventStore(link);
  database = await Database.open({ url: postgres.url, applicationName: 'test', entities: [] });
  histories = new Histories(store, 11);
  await migrate({ url: postgres.url, migrations: MIGRATIONS });
}, 120_000);
afterAll(async () => {
  await database?.close();
  await link?.close();
  await nats?.stop();
  await postgres?.stop();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
}, 60_000);

const environment = (): Record<string, string> => ({
  NATS_URL: nats.url,
  DATABASE_URL: postgres.url,
  LOG_LEVEL: 'warn',
});
const start = async (program?: string): Promise<ServiceUnderTest> => {
  const service = await startService('projector', environment(), program);
  started.push(service);
  return service;
};
const contains = async (end: number): Promise<void> => {
  await waitUntil(
    `all rows to contain ${end}`,
    async () => {
      const rows = await database.sql.query<{ sequence: number }>(
        'SELECT sequence FROM projection_checkpoint',
      );
      return rows.length === 5 && rows.every(({ sequence }) => sequence >= end);
    },
    30_000,
  );
};

describe('migrating as a process', () => {
  it('says what is wrong with its configuration, and ends with another code', async () => {
    const service = await startService(
      'projector',
      { ...environment(), DATABASE_URL: '' },
      'migrate',
    );
    started.push(service);
    await waitUntil('it to end', () => service.ended(), 60_000);
    expect(service.ended()?.code).not.toBe(0);
    expect(service.log()).toContain('DATABASE_URL is missing');
  }, 90_000);
});

describe('projectors as processes', () => {
  it('@FM-60 live through the death of Postgres: not ready, then ready, and nothing is lost', async () => {
    const both = await Promise.all([start(), start()]);
    for (const one of both) await untilReadyIs(one, 200);
    for (let step = 0; step < 100; step += 1) await histories.step();
    await contains(await store.end());

    await postgres.server.kill();
    for (const one of both) await untilReadyIs(one, 503);
    for (let step = 0; step < 100; step += 1) await histories.step();
    await postgres.server.restart();
    for (const one of both) await untilReadyIs(one, 200);
    await contains(await store.end());
    expect(both.map((one) => one.ended())).toEqual([undefined, undefined]);
  }, 180_000);

  it('live through the death of nats-server', async () => {
    const one = await start();
    await untilReadyIs(one, 200);
    await nats.server.kill();
    await untilReadyIs(one, 503);
    await nats.server.restart();
    await untilReadyIs(one, 200);
    for (let step = 0; step < 50; step += 1) await histories.step();
    await contains(await store.end());
    expect(one.ended()).toBeUndefined();
  }, 180_000);

  it('say how far they are, and end in order when they are told to', async () => {
    const one = await start();
    await untilReadyIs(one, 200);
    for (let step = 0; step < 20; step += 1) await histories.step();
    const end = await store.end();
    await contains(end);
    await waitUntil('the metrics to say so', async () =>
      (await one.metrics())
        .split('\n')
        .some(
          (line) =>
            line.startsWith('holdfast_projection_position') &&
            line.includes('projection="runs"') &&
            line.endsWith(` ${end}`),
        ),
    );
    expect(await one.metrics()).toMatch(
      /holdfast_projection_lag_seconds\{[^}]*projection="runs"[^}]*\} 0\n/,
    );
    one.kill('SIGTERM');
    await waitUntil('its end', () => one.ended(), 15_000);
    expect(one.ended()).toEqual({ code: 0, signal: null });
  }, 180_000);
});
