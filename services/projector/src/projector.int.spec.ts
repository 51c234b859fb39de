import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  JetStreamEventFeed,
  JetStreamEventStore,
  assertTopology,
  connectLink,
  type NatsLink,
} from '#nats';
import {
  AdvisoryLocks,
  Database,
  ProjectionGroup,
  migrate,
  resetProjection,
  type BuildBounds,
} from '#postgres';
import {
  natsServerUnderTest,
  postgresUnderTest,
  waitUntil,
  type NatsServerUnderTest,
  type PostgresUnderTest,
} from '#testing';
import { TypeormOpenRuns } from '#runs/reconcile';
import type { DomainEvent } from '#kernel';
import type { ExistingSpawn } from '#spawns/domain';
import { TypeormOpenSpawns, TypeormSlotAccounts, type OpenSpawn } from '#spawns/reconcile';
import { COMPLETED, DISPATCHED, PENDING } from '../../../libs/spawns/src/domain/spawn.fixture.js';
import { MIGRATIONS } from '../../../migrations/index.js';
import { folded, projected } from './folds.fixture.js';
import { Histories } from './histories.fixture.js';
import { READ_MODELS, projectionsOver } from './read-models.js';

let nats: NatsServerUnderTest;
let postgres: PostgresUnderTest;
let link: NatsLink;
let store: JetStreamEventStore;
let database: Database;

beforeAll(async () => {
  [nats, postgres] = await Promise.all([natsServerUnderTest(), postgresUnderTest()]);
  link = await connectLink({ url: nats.url, name: 'test' });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  store = new JetStreamEventStore(link);
  await migrate({ url: postgres.url, migrations: MIGRATIONS });
}, 120_000);
afterAll(async () => {
  await link?.close();
  await nats?.stop();
  await postgres?.stop();
});

const running: (() => Promise<void>)[] = [];
beforeEach(async () => {
  database = await Database.open({
    url: postgres.url,
    applicationName: 'test',
    entities: READ_MODELS,
  });
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await database.close();
});

const start = (build?: Partial<BuildBounds>) => {
  const findings: string[] = [];
  const locks = new AdvisoryLocks({
    url: postgres.url,
    applicationName: 'test',
    onProblem: () => undefined,
  });
  const group = new ProjectionGroup({
    database,
    locks,
    store,
    feed: new JetStreamEventFeed(link),
    projections: projectionsOver(database),
    ...(build === undefined ? {} : { build }),
    observer: {
      written: () => undefined,
      finding: (...finding) => findings.push(finding.join(': ')),
      problem: () => undefined,
    },
  });
  const ending = new AbortController();
  const forget = link.onReconnect(() => group.reopen());
  const ran = group.run(ending.signal);
  running.push(async () => {
    forget();
    ending.abort();
    await ran;
    await locks.close();
  });
  return { group, findings };
};

const caughtUp = async (): Promise<void> => {
  const end = await store.end();
  await waitUntil(
    `every projection to contain ${end}`,
    async () => {
      const rows = await database.sql.query<{ sequence: number }>(
        'SELECT sequence FROM projection_checkpoint',
      );
      return rows.length === 5 && rows.every(({ sequence }) => sequence === end);
    },
    30_000,
  );
};

const everything = async (): Promise<unknown> => {
  const tables = [
    ...['run_view', 'run_prompt', 'session_view', 'node_view', 'agent_view'],
    ...['slot_view', 'spawn_view', 'spawn_task'],
  ];
  const rows = tables.map((table) =>
    database.sql.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) - 'change' AS row FROM ${table} t ORDER BY 1`,
    ),
  );
  return (await Promise.all(rows)).map((of) => of.map(({ row }) => row));
};

describe('the schema', () => {
  it('is what the entities describe: migrations and entities do not drift apart', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    const missing = upQueries
      .map(({ query }) => query)
      .filter((query) => !query.includes('"migration"'));
    expect(missing).toEqual([]);
  });

  it('can be taken back, and made again', async () => {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    for (const Migration of [...MIGRATIONS].reverse()) await new Migration().down(runner);
    for (const Migration of MIGRATIONS) await new Migration().up(runner);
    await runner.rollbackTransaction();
    await runner.release();
  });
});

describe('the read models', () => {
  const histories: Histories[] = [];
  const write = async (steps: number): Promise<Histories> => {
    const written = histories[0] ?? new Histories(store, 42);
    histories[0] ??= written;
    for (let step = 0; step < steps; step += 1) await written.step();
    return written;
  };

  it('are where the deciders’ own folds are, after any history', async () => {
    const { findings } = start();
    const written = await write(1_500);
    await caughtUp();
    expect(await projected(database.sql)).toEqual(folded(written));
    const kinds = Object.values(folded(written));
    expect(kinds.map((one) => Object.keys(one).length > 1)).toEqual(Array(5).fill(true));
    expect(findings).toEqual([]);
  });

  it('are the same rows when they are made anew, and numbered as news', async () => {
    start();
    await write(50);
    await caughtUp();
    const before = await everything();
    const number = async () =>
      (await database.sql.query<{ value: number }>('SELECT value FROM change_counter'))[0]!.value;
    const changes = await number();
    for (const projection of projectionsOver(database)) await resetProjection(database, projection);
    await caughtUp();
    expect(await everything()).toEqual(before);
    expect(await number()).toBeGreaterThan(changes);
  });

  it('are the same rows when they are built beside the live ones, whatever is killed meanwhile', async () => {
    start();
    await write(600);
    await caughtUp();
    const followed = await everything();
    for (const stop of running.splice(0)) await stop();
    await database.sql.execute('DELETE FROM projection_checkpoint');
    const { group, findings } = start({ commitsMin: 1, rowsMax: 20 });
    const runs = () => group.statuses[0]!;
    const isBuilding = () => runs().state === 'building';
    let seenBuilding = 0;
    for (const at of [100, 400]) {
      const isFar = () => isBuilding() && runs().position > at;
      await waitUntil('a part of it', () => isFar() || runs().state === 'following', 30_000);
      expect(await everything()).toEqual(followed); // It is read until the others take its place.
      const { position } = await new TypeormOpenRuns(database).claimed();
      if (isBuilding()) expect(position).toBe(0); // Not that of the others.
      if (isBuilding()) seenBuilding += 1;
      await postgres.server.kill();
      await postgres.server.restart();
    }
    expect(seenBuilding).toBeGreaterThan(0);
    await caughtUp();
    expect(await everything()).toEqual(followed);
    expect(await projected(database.sql)).toEqual(folded(histories[0]!));
    expect(findings).toEqual([]);
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.filter(({ query }) => !query.includes('"migration"'))).toEqual([]);
  }, 120_000);

  it('lose nothing when Postgres and nats-server are killed under load, one after the other and both', async () => {
    const { group, findings } = start();
    let isLoading = true;
    const loading = (async () => {
      while (isLoading) await write(1);
    })();
    const moves = async (): Promise<void> => {
      const position = (): number => Math.min(...group.statuses.map((one) => one.position));
      const before = position();
      await waitUntil('progress', () => position() > before, 30_000);
    };
    await moves();
    await postgres.server.kill();
    await postgres.server.restart();
    await moves();
    await nats.server.kill();
    await nats.server.restart();
    await moves();
    await Promise.all([nats.server.kill(), postgres.server.kill()]);
    await Promise.all([nats.server.restart(), postgres.server.restart()]);
    await moves();
    isLoading = false;
    await loading;
    await caughtUp();
    expect(await projected(database.sql)).toEqual(folded(histories[0]!));
    expect(findings).toEqual([]);
  }, 120_000);
});

describe('spawns that may need a step', () => {
  it('are found page by page, each once, and no other', async () => {
    start();
    const histories = new Histories(store, 11, 'open-');
    for (let step = 0; step < 500; step += 1) await histories.step();
    await caughtUp();
    const open = new TypeormOpenSpawns(database);
    const found: OpenSpawn[] = [];
    for (;;) {
      const page = await open.page({ after: found.at(-1) ?? null, limit: 3 });
      found.push(...page);
      if (page.length < 3) break;
    }
    const rows = await database.sql.query<{ id: string; open: boolean }>(
      'SELECT spawn_id AS id, open FROM spawn_view ORDER BY workspace, spawn_id',
    );
    const expected = rows.filter((row) => row.open).map(({ id }) => id);
    expect(found.map(({ spawnId }) => spawnId)).toEqual(expected);
    expect([expected.length > 3, expected.length < rows.length]).toEqual([true, true]);
    for (const { spawnId, ...seen } of found.filter(({ spawnId: id }) => id.startsWith('open-'))) {
      const spawn = histories.states('spawn').get(spawnId) as ExistingSpawn;
      expect(seen).toEqual({
        workspace: 'main',
        nodeId: spawn.placement?.nodeId ?? null,
        status: spawn.status,
        claimedAt: spawn.claimedAt,
        retryAfterAt: spawn.dispatch?.retryAfterAt ?? null,
      });
    }
  });
});

describe('the accounts of slots', () => {
  const append = async (aggregate: string, id: string, events: readonly DomainEvent[]) => {
    const ref = { aggregate, workspace: 'law', id };
    const before = await store.read(ref, { consistency: 'leader' });
    await store.append({
      ref,
      expected: before.at(-1)?.revision ?? 0,
      commandId: `${id}-${String(before.length)}`,
      events,
      metadata: { command: 'Any', actor: 'test' },
    });
  };
  /** The events of a spawn on a node, as the fixture of its domain has them, under other names. */
  const of = (spawnId: string, events: readonly DomainEvent[]): readonly DomainEvent[] =>
    events.map(({ type, data }) => ({
      type,
      data: { ...data, spawnId, nodeId: 'law-1' },
    }));
  const slot = (type: string, spawnId: string, round = 1): DomainEvent => ({
    type,
    data: {
      ...{ nodeId: 'law-1', at: 1_000, spawnId, round, token: 'token', until: 31_000, reason: 'r' },
      snapshot: { nodeName: 'law', agentName: 'agent-1', harness: 'claude' },
    },
  });
  const account = async () => {
    const accounts = new TypeormSlotAccounts(database);
    const { level, accounts: unbalanced } = await accounts.unbalanced(1_000);
    const [all] = await accounts.all('law');
    return { level, all, unbalanced: unbalanced.filter(({ workspace }) => workspace === 'law') };
  };

  it('balance while each slot has its spawn, and name each that has not (@SP-51)', async () => {
    start();
    await append('node', 'law-1', [slot('SlotReserved', 'a'), slot('SlotReserved', 'b')]);
    await append('spawn', 'a', of('a', PENDING));
    await append('spawn', 'b', of('b', COMPLETED));
    await append('node', 'law-1', [slot('SlotReserved', 'a', 2), slot('SlotReserved', 'b', 2)]);
    await append('node', 'law-1', [slot('SlotOccupied', 'b', 2)]);
    await caughtUp();
    const level = { workspace: 'law', nodeId: 'law-1', held: 2, accounted: 2 };
    const balanced = { ...level, strangers: [], missing: [] };
    expect(await account()).toEqual({ level: true, all: balanced, unbalanced: [] });

    // A slot for a spawn that is not there; and a dispatched spawn that has none.
    await append('node', 'law-1', [slot('SlotReserved', 'nobody')]);
    await append('spawn', 'c', of('c', DISPATCHED));
    await caughtUp();
    const off = { ...level, held: 3, accounted: 3, strangers: ['nobody'], missing: ['c'] };
    expect(await account()).toEqual({ level: true, all: off, unbalanced: [off] });

    await append('node', 'law-1', [slot('SlotReleased', 'nobody'), slot('SlotReserved', 'c')]);
    await caughtUp();
    const again = { ...balanced, held: 3, accounted: 3 };
    expect(await account()).toEqual({ level: true, all: again, unbalanced: [] });
  });

  it('say nothing while the two sides are of different moments', async () => {
    start();
    await caughtUp();
    for (const stop of running.splice(0)) await stop();
    await database.sql.execute(
      "UPDATE projection_checkpoint SET sequence = sequence - 1 WHERE name = 'nodes'",
    );
    expect((await account()).level).toBe(false);
    await database.sql.execute(
      "UPDATE projection_checkpoint SET sequence = sequence + 1 WHERE name = 'nodes'",
    );
  });
});

describe('changes', () => {
  it('are numbered without a gap that is filled later: who reads on from a number misses none', async () => {
    start();
    const histories = new Histories(store, 7, 'other-');
    const seen = new Map<string, number>();
    let [after, isWriting] = [0, true];
    const read = async (): Promise<void> => {
      const rows = await database.sql.query<{ id: string; change: number }>(
        'SELECT run_id AS id, change FROM run_view WHERE change > $1 ORDER BY change',
        [after],
      );
      for (const { id, change } of rows) seen.set(id, change);
      after = rows[rows.length - 1]?.change ?? after;
    };
    const reading = (async () => {
      while (isWriting) await read();
    })();
    for (let step = 0; step < 300; step += 1) await histories.step();
    await caughtUp();
    isWriting = false;
    await reading;
    await read();
    const stored = await database.sql.query<{ id: string; change: number }>(
      'SELECT run_id AS id, change FROM run_view',
    );
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(stored.map(({ id, change }) => [id, change])),
    );
    expect(new Set(stored.map(({ change }) => change)).size).toBe(stored.length);
  });
});
