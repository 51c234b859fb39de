import { describe, expect, it } from '@jest/globals';
import { AggregateStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { FENCE_KEPT_MS } from '../domain/index.js';
import { StoredSlots } from './stored-slots.js';

const by = { actor: 'test' };
const order = (spawnId: string) => ({ spawnId, round: 1, until: 2_000, reason: 'test' });

describe('a release', () => {
  it('fences its round again when the fence was forgotten', async () => {
    let now = 1_000;
    const store = new AggregateStore(new InMemoryEventStore(() => now));
    const slots = new StoredSlots(store, { now: () => now });
    const fenced = async () => (await slots.look('main', 'node-1', 'spawn-1')).slot.fenced;
    await slots.release('main', 'node-1', order('spawn-1'), by);
    await slots.release('main', 'node-1', order('spawn-1'), by);
    expect(await fenced()).toBe(1);
    now += 2 * FENCE_KEPT_MS;
    await slots.release('main', 'node-1', order('spawn-2'), by);
    expect(await fenced()).toBe(0);
    await slots.release('main', 'node-1', order('spawn-1'), by);
    expect(await fenced()).toBe(1);
  });
});

describe('writes to one node by one process', () => {
  /** A node with so many releases asked for at once, and how many decisions they took. */
  const released = async (spawns: number) => {
    const events = new InMemoryEventStore(() => 1_000);
    let conflicts = 0;
    const append = events.append.bind(events);
    events.append = async (request) => {
      try {
        return await append(request);
      } catch (error) {
        conflicts += 1;
        throw error;
      }
    };
    const slots = new StoredSlots(new AggregateStore(events), { now: () => 1_000 });
    const all = Array.from({ length: spawns }, (_, spawn) =>
      slots.release('main', 'node-1', order(`spawn-${String(spawn)}`), by),
    );
    await Promise.all(all);
    return { conflicts, end: await events.end() };
  };

  it('take turns, so that none of them has to decide again', async () => {
    expect(await released(100)).toEqual({ conflicts: 0, end: 100 });
  });

  it('go on after one that failed', async () => {
    let isFirst = true;
    const store = new AggregateStore(new InMemoryEventStore(() => 1_000));
    const slots = new StoredSlots(
      {
        load: store.load.bind(store),
        execute: (...request: Parameters<typeof store.execute>) => {
          if (!isFirst) return store.execute(...request);
          isFirst = false;
          return Promise.reject(new Error('no broker'));
        },
      } as unknown as AggregateStore,
      { now: () => 1_000 },
    );
    const failing = slots.release('main', 'node-1', order('spawn-1'), by);
    const next = slots.release('main', 'node-1', order('spawn-2'), by);
    await expect(failing).rejects.toThrow('no broker');
    await next;
    expect((await slots.look('main', 'node-1', 'spawn-2')).slot.fenced).toBe(1);
  });
});
