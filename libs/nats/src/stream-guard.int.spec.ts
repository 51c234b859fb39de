import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EPOCH_REF, StreamDiverged, type Revision } from '#event-store';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import type { NatsLink } from './connection.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { linkTo } from './jetstream-under-test.fixture.js';
import {
  StreamGuard,
  ensureFirstEpoch,
  type DivergenceMemory,
  type SeenCommit,
} from './stream-guard.js';

let server: NatsServerUnderTest;
let link: NatsLink;
beforeAll(async () => {
  server = await natsServerUnderTest();
  link = await linkTo(server.url);
}, 120_000);
afterAll(async () => {
  await link?.close();
  await server?.stop();
});

const guards: StreamGuard[] = [];
afterEach(() => {
  for (const guard of guards.splice(0)) guard.stop();
});

/** A store whose commits a guard sees, and what the guard reported. */
const guarded = async (memory?: DivergenceMemory) => {
  const reports: StreamDiverged[] = [];
  const store = new JetStreamEventStore(link, {
    onSeen: (revision, hash) => guard.seen(revision, hash),
  });
  const guard: StreamGuard = new StreamGuard(store, link, {
    onDiverged: (error) => reports.push(error),
    ...(memory ? { memory } : {}),
  });
  guards.push(guard);
  await guard.start();
  return { store, guard, reports };
};

let things = 0;
const append = async (store: JetStreamEventStore, what: string): Promise<Revision> => {
  const { revision } = await store.append({
    ref: { aggregate: 'thing', workspace: 'main', id: `t-${String((things += 1))}` },
    expected: 0,
    commandId: 'c-1',
    events: [{ type: 'Happened', data: { what } }],
    metadata: { command: 'Do', actor: 'service:test' },
  });
  return revision;
};

/** Stops the broker, and starts it with what `change` makes of its store. */
const restartWith = async (change: (storeFolder: string) => Promise<void>): Promise<void> => {
  await server.server.stop();
  await change(join(server.folder, 'store'));
  await server.server.restart();
};

const backup = async (): Promise<string> => {
  const copy = join(server.folder, `backup-${String((things += 1))}`);
  await restartWith(async (store) => cp(store, copy, { recursive: true }));
  return copy;
};

const restore = async (copy: string): Promise<void> =>
  restartWith(async (store) => {
    await rm(store, { recursive: true });
    await cp(copy, store, { recursive: true });
  });

const newMemory = (): DivergenceMemory & { kept: SeenCommit | undefined } => ({
  kept: undefined,
  async load() {
    return this.kept;
  },
  async save(seen) {
    this.kept = seen;
  },
});

describe('the first epoch', () => {
  it('is recorded once, whoever is first', async () => {
    const { store } = await guarded();
    await Promise.all([1, 2, 3].map(async () => ensureFirstEpoch(store, 'service:commands', 5)));
    const commits = await store.read(EPOCH_REF, { consistency: 'leader' });
    expect(commits.map(({ events }) => events)).toStrictEqual([
      [{ type: 'StreamEpochStarted', data: { epoch: 1, at: 5 } }],
    ]);
  });
});

describe('a guard of the stream', () => {
  it('is quiet when the broker comes back with the same stream', async () => {
    const { store, guard, reports } = await guarded();
    await append(store, 'before');
    await restartWith(async () => undefined);
    await append(store, 'after');
    expect(await guard.verify({ epoch: 1, ...(await newest(store)) })).toBe('same');
    expect([reports, guard.divergence]).toStrictEqual([[], undefined]);
  });

  it('reports a stream that ends before what was seen, and remembers over restarts', async () => {
    const memory = newMemory();
    const { store, guard, reports } = await guarded(memory);
    await append(store, 'in the backup');
    const copy = await backup();
    const lost = await append(store, 'lost by the restore');
    await restore(copy);
    await waitUntil('the guard has noticed', () => reports.length > 0);
    expect(guard.divergence).toBe(reports[0]);
    expect(reports[0]!.message).toContain(String(lost));
    await expect(guarded(memory)).rejects.toThrow(StreamDiverged);

    await startEpoch(store, 2);
    const restarted = await guarded(memory);
    expect(restarted.guard.currentEpoch).toBe(2);
    expect(memory.kept).toBeUndefined();
  });

  it('reports another commit in the place of one that was seen', async () => {
    const { store, guard } = await guarded();
    const copy = await backup();
    await append(store, 'lost by the restore');
    const lost = await newest(store);
    guard.stop(); // Its process is away while the stream is replaced, and written to by another one.
    await restore(copy);
    const other = await append(new JetStreamEventStore(link), 'other');
    expect(other).toBe(lost.sequence);
    const back = await guarded();
    back.guard.seen(lost.sequence, lost.hash);
    await restartWith(async () => undefined);
    await waitUntil('the guard has noticed', () => back.reports.length > 0);
    expect(back.reports[0]!.message).toContain(lost.hash);
  });

  it('accepts a restore that is on record', async () => {
    const { store, guard, reports } = await guarded();
    const copy = await backup();
    await append(store, 'lost by the restore');
    const seen = await newest(store);
    const epoch = guard.currentEpoch;
    guard.stop();
    await restore(copy);
    await startEpoch(new JetStreamEventStore(link), epoch + 1);
    const later = await guarded();
    expect(await later.guard.verify({ ...seen, epoch })).toBe('newer-epoch');
    expect(reports).toStrictEqual([]);
  });
});

const newest = async (store: JetStreamEventStore): Promise<{ sequence: number; hash: string }> => {
  const commit = await store.at(await store.end());
  return { sequence: commit!.revision, hash: commit!.bodyHash };
};

const startEpoch = async (store: JetStreamEventStore, epoch: number): Promise<void> => {
  const commits = await store.read(EPOCH_REF, { consistency: 'leader' });
  await store.append({
    ref: EPOCH_REF,
    expected: commits[commits.length - 1]?.revision ?? 0,
    commandId: `epoch-${String(epoch)}`,
    events: [{ type: 'StreamEpochStarted', data: { epoch, restoredFrom: 'a copy', at: 1 } }],
    metadata: { command: 'StartEpoch', actor: 'operator' },
  });
};
