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
