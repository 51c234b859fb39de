import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Commit, EventFeed, EventStore } from '#event-store';
import { InMemoryEventFeed } from '#event-store/in-memory';
import { postgresUnderTest, waitUntil, type PostgresUnderTest } from '#testing';
import { AdvisoryLocks } from '../advisory-locks.js';
import type { Database } from '../database.js';
import type { Sql } from '../sql.js';
import { ProjectionGroup } from './projection-group.js';
import type { ProjectionLocks, ProjectionObserver } from './projection-member.js';
import type { Projection, ProjectionStatus } from './projection.js';
import { resetProjection } from './reset.js';
import { RestorableStore, add, makeTables, openTallies, tallyProjection } from './tally.fixture.js';

let postgres: PostgresUnderTest;
let database: Database;
let store: RestorableStore;
const running: { readonly stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await postgresUnderTest();
});
afterAll(async () => {
  await postgres.stop();
});
beforeEach(async () => {
  database = await openTallies(postgres.url);
  await makeTables(database);
  store = new RestorableStore();
});
afterEach(async () => {
  for (const { stop } of running.splice(0)) await stop();
  await database.close();
});

/** Lets everybody write: only the checkpoint is left to keep two apart. */
const NO_LOCKS: ProjectionLocks = {
  tryAcquire: async () => true,
  onLost: () => () => undefined,
};

interface Started {
  readonly group: ProjectionGroup;
  readonly findings: string[];
  readonly problems: unknown[];
  readonly batches: number[];
  status(name?: string): ProjectionStatus;
  stop(): Promise<void>;
}

const start = (
  options: {
    readonly projections?: readonly Projection[];
    readonly locks?: ProjectionLocks;
    readonly feed?: EventFeed;
    readonly events?: EventStore;
  } = {},
): Started => {
  const findings: string[] = [];
  const problems: unknown[] = [];
  const batches: number[] = [];
  const observer: ProjectionObserver = {
    written: (_projection, { commits }) => batches.push(commits.length),
    finding: (projection, finding) => findings.push(`${projection}: ${finding}`),
    problem: (_projection, problem) => problems.push(problem),
  };
  const group = new ProjectionGroup({
    database,
    store: options.events ?? store,
    locks: options.locks ?? NO_LOCKS,
    observer,
    projections: options.projections ?? [tallyProjection(database)],
    feed: options.feed ?? new InMemoryEventFeed(store),
  });
  const ending = new AbortController();
  const ran = group.run(ending.signal);
  const started = {
    group,
    findings,
    problems,
    batches,
    status: (name = 'tally') => group.statuses.find((one) => one.name === name)!,
    stop: async () => {
      ending.abort();
      await ran;
    },
  };
  running.push(started);
  return started;
};

const all = (): readonly Commit[] => store.after(0, 1_000);
const totals = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await database.sql.query<{ id: string; total: number }>('SELECT id, total FROM tally')).map(
      ({ id, total }) => [id, total],
    ),
  );
const checkpoint = async (name = 'tally') =>
  (
    await database.sql.query<{ epoch: number; sequence: number; finding: string | null }>(
      'SELECT epoch, sequence, finding FROM projection_checkpoint WHERE name = $1',
      [name],
    )
  )[0];
const caughtUp = async (name = 'tally'): Promise<void> => {
  const end = await store.end();
  await waitUntil(
    `${name} to contain ${end}`,
    async () => (await checkpoint(name))?.sequence === end,
  );
};

describe('a group of projections', () => {
  it('writes what is there, and what comes', async () => {
    await add(store, 'a', { amount: 1 });
    start();
    await caughtUp();
    await add(store, 'a', [{ amount: 2 }, { amount: 3 }]);
    await add(store, 'b', { amount: 10 });
    await caughtUp();
    expect(await totals()).toEqual({ a: 6, b: 10 });
  });

  it('goes on from its checkpoint, and reads nothing twice', async () => {
    await add(store, 'a', { amount: 1 });
    await start().stop();
    const first = start();
    await caughtUp();
    await first.stop();
    await add(store, 'a', { amount: 1 });
    const second = start();
    await caughtUp();
    await waitUntil('the batch to be told', () => second.batches.length > 0); // After it is written.
    expect(second.batches).toEqual([1]);
    expect(await totals()).toEqual({ a: 2 });
  });

  it('saves a position that changes no row, so that it is seen to be level with the stream', async () => {
    start();
    await add(store, 'x', { amount: 1 }, 'other');
    await add(store, 'y', { amount: 1 }, 'other');
    await caughtUp();
    expect(await totals()).toEqual({});
  });

  it('keeps projections apart: one that fails is left behind, and catches up when it can', async () => {
    let isBroken = true;
    const good = tallyProjection(database);
    const broken: Projection = {
      name: 'broken',
      aggregates: ['tally'],
      write: async () => {
        if (isBroken) throw new Error('not yet');
        return 0;
      },
      clear: async () => undefined,
    };
    const started = start({ projections: [good, broken] });
    await add(store, 'a', { amount: 1 });
    await caughtUp();
    await waitUntil('it to fail', () => started.status('broken').state === 'failing');
    await add(store, 'a', { amount: 1 });
    await caughtUp();
    expect(started.status('broken')).toEqual({
      name: 'broken',
      state: 'failing',
      position: 0,
      problem: 'not yet',
    });
    isBroken = false;
    await caughtUp('broken');
    expect(await totals()).toEqual({ a: 2 });
  });

  it('writes whatever an event carries: what a column can not hold must not stop a projection', async () => {
    const note = 'nul \u0000, half a pair \ud800, \\u0000, 🙂';
    await add(store, 'a', { amount: Number.MAX_VALUE, note, at: Number.MAX_SAFE_INTEGER });
    start();
    await caughtUp();
    const rows = await database.sql.query('SELECT total, note, at, sequence FROM tally');
    expect(rows).toEqual([
      {
        total: 2_147_483_647,
        note: 'nul \ufffd, half a pair \ufffd, \\u0000, 🙂',
        at: null,
        sequence: 1,
      },
    ]);
  });
});

describe('rows that are large', () => {
  it('are written in several statements, all of them', async () => {
    const note = 'x'.repeat(300 * 1024);
    for (let n = 0; n < 40; n += 1) await add(store, `a${n}`, { amount: 1, note });
    start();
    await caughtUp();
    const [stored] = await database.sql.query<{ rows: number; characters: number }>(
      'SELECT count(*) AS rows, sum(length(note)) AS characters FROM tally',
    );
    expect(stored).toEqual({ rows: 40, characters: 40 * note.length });
    const changes = await database.sql.query<{ change: number }>('SELECT change FROM tally');
    expect(new Set(changes.map(({ change }) => change)).size).toBe(40);
  });
});

/** A database that dies at a chosen statement of the next write: before it, or after it was done. */
const dyingAt = (inner: Projection, when: 'before' | 'after'): Projection & { dies: boolean } => {
  const dying = {
    dies: true,
    name: inner.name,
    aggregates: inner.aggregates,
    write: async (commits: readonly Commit[], sql: Sql) => {
      const cut = () => sql.query('SELECT pg_terminate_backend(pg_backend_pid())');
      if (dying.dies && when === 'before') await cut();
      const rows = await inner.write(commits, sql);
      if (dying.dies && when === 'after') await cut();
      return rows;
    },
    clear: (sql: Sql) => inner.clear(sql),
  };
  return dying;
};

describe('rows and checkpoint', () => {
  it.each(['before', 'after'] as const)(
    'are one: a death %s the rows leaves neither',
    async (when) => {
      const dying = dyingAt(tallyProjection(database), when);
      const started = start({ projections: [dying] });
      await add(store, 'a', { amount: 5 });
      await waitUntil('a death', () => started.problems.length > 0);
      expect([await totals(), (await checkpoint())?.sequence]).toEqual([{}, 0]);
      dying.dies = false;
      await caughtUp();
      expect(await totals()).toEqual({ a: 5 });
    },
  );

  it('contain each commit once, when a commit is replayed over rows that have it', async () => {
    const projection = tallyProjection(database);
    await add(store, 'a', { amount: 1 });
    await add(store, 'a', { amount: 2 });
    const commits = all();
    await database.transaction((sql) => projection.write(commits, sql));
    await database.transaction((sql) => projection.write(commits, sql));
    expect(await totals()).toEqual({ a: 3 });
  });

  it('count it again under another sequence: the guard is the sequence (negative control)', async () => {
    const projection = tallyProjection(database);
    await add(store, 'a', { amount: 1 });
    const commits = all();
    const moved = commits.map((commit) => ({ ...commit, revision: commit.revision + 1_000 }));
    await database.transaction((sql) => projection.write(commits, sql));
    await database.transaction((sql) => projection.write(moved, sql));
    expect(await totals()).toEqual({ a: 2 });
  });
});

describe('two projectors at once', () => {
  it('stay correct without any lock: the checkpoint lets one of them write each batch', async () => {
    const [one, other] = [start(), start()];
    for (const { status } of [one, other])
      await waitUntil('both to follow', () => status().state === 'following');
    for (let round = 0; round < 150; round += 1) await add(store, `a${round % 7}`, { amount: 1 });
    await caughtUp();
    const counted = Object.values(await totals()).reduce((sum, total) => sum + total, 0);
    expect(counted).toBe(150);
    expect(one.findings.concat(other.findings)).toEqual([]);
    // Both were at it: at least one of them had to step down.
    expect(one.problems.length + other.problems.length).toBeGreaterThan(0);
  });

  it('take turns by their lock: one stands by, and takes over when the other ends', async () => {
    const locks = () =>
      new AdvisoryLocks({
        url: postgres.url,
        applicationName: 'locks',
        onProblem: () => undefined,
      });
    const [mine, theirs] = [locks(), locks()];
    const one = start({ locks: mine });
    await waitUntil('the first to follow', () => one.status().state === 'following');
    const other = start({ locks: theirs });
    await waitUntil('the second to stand by', () => other.status().state === 'standby');
    await add(store, 'a', { amount: 1 });
    await caughtUp();
    await one.stop();
    await mine.close();
    await add(store, 'a', { amount: 1 });
    await caughtUp();
    expect([await totals(), other.status().state, other.batches]).toEqual([
      { a: 2 },
      'following',
      [1],
    ]);
    await other.stop();
    await theirs.close();
  });
});

describe('a stream that is not the one that the rows were made of', () => {
  const projected = async (): Promise<void> => {
    await add(store, 'a', { amount: 1 });
    await add(store, 'a', { amount: 1 });
    const first = start();
    await caughtUp();
    await first.stop();
  };
  const expectStopped = async (words: string): Promise<void> => {
    const started = start();
    await waitUntil('it to stop', () => started.status().state === 'stopped');
    await waitUntil('the finding', async () => (await checkpoint())?.finding);
    expect(started.findings[0]).toContain(words);
    expect((await checkpoint())?.finding).toContain(words);
    await add(store, 'a', { amount: 100 });
    await started.stop();
    expect(await totals()).toEqual({ a: 2 });
  };
  const restored = async (fill: (copy: RestorableStore) => Promise<unknown>): Promise<void> => {
    const copy = new RestorableStore();
    await fill(copy);
    store.restoreFrom(copy);
  };
  const startEpoch = (of: EventStore, epoch: number) =>
    of.append({
      ref: { aggregate: 'epoch', workspace: '_', id: 'events' },
      expected: 0,
      commandId: `epoch-${epoch}`,
      events: [{ type: 'StreamEpochStarted', data: { epoch, at: 1 } }],
      metadata: { command: 'StartEpoch', actor: 'test' },
    });

  it('stops it when the stream ends before its checkpoint', async () => {
    await projected();
    await restored((copy) => add(copy, 'a', { amount: 1 }));
    await expectStopped('ends at 1');
  });

  it('stops it when another commit stands at its checkpoint', async () => {
    await projected();
    await restored(async (copy) => {
      await add(copy, 'a', { amount: 1 });
      await add(copy, 'a', { amount: 7 });
    });
    await expectStopped('is not the one that its rows contain');
  });

  it('stops it when the stream is in another epoch', async () => {
    await projected();
    await startEpoch(store, 2);
    await expectStopped('the stream is in epoch 2');
  });

  it('stops it in the middle of its work when another epoch begins', async () => {
    const started = start();
    await add(store, 'a', { amount: 2 });
    await caughtUp();
    await startEpoch(store, 2);
    await add(store, 'a', { amount: 100 });
    await waitUntil('it to stop', () => started.status().state === 'stopped');
    expect(started.findings[0]).toContain('starts another epoch');
    expect(await totals()).toEqual({ a: 2 });
  });

  it('lets it go on after its rows were thrown away, and gives the same rows', async () => {
    await projected();
    await startEpoch(store, 2);
    const started = start();
    await waitUntil('it to stop', () => started.status().state === 'stopped');
    await resetProjection(database, tallyProjection(database));
    started.group.reopen();
    await caughtUp();
    expect([await totals(), (await checkpoint())?.epoch]).toEqual([{ a: 2 }, 2]);
  });

  it('does not mind epochs of the past when it reads from the start', async () => {
    await add(store, 'a', { amount: 1 });
    await startEpoch(store, 2);
    await add(store, 'a', { amount: 1 });
    start();
    await caughtUp();
    expect(await totals()).toEqual({ a: 2 });
  });
});

describe('a Postgres that is killed under load', () => {
  it('@FM-60 loses nothing, and the group goes on by itself', async () => {
    const started = start();
    let isLoading = true;
    let added = 0;
    const load = (async () => {
      while (isLoading) {
        await add(store, `a${added % 50}`, { amount: 1 });
        added += 1;
        await waitUntil('room', async () => (await store.end()) - started.status().position < 500);
      }
    })();
    await waitUntil('some rows', () => started.status().position > 500);
    await postgres.server.kill();
    await waitUntil('the failure to be seen', () => started.status().state === 'failing');
    await postgres.server.restart();
    await waitUntil('it to follow again', () => started.status().state === 'following');
    const position = started.status().position;
    await waitUntil('progress', () => started.status().position > position);
    isLoading = false;
    await load;
    await caughtUp();
    const counted = Object.values(await totals()).reduce((sum, total) => sum + total, 0);
    expect([counted, started.findings]).toEqual([added, []]);
  });
});
