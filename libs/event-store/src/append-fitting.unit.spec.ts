import { describe, expect, it } from '@jest/globals';
import { appendFitting } from './append-fitting.js';
import { InMemoryEventStore } from './in-memory/in-memory-event-store.js';

const ref = { aggregate: 'node', workspace: 'main', id: 'node-1' };
const commitOf = (text: string) => ({
  ref,
  expected: 0,
  commandId: 'command-1',
  events: [{ type: 'Said', data: { text } }],
  metadata: { command: 'Say', actor: 'test' },
});
/** More than a commit may hold. */
const HUGE = 'x'.repeat(1_000_000);

describe('a commit with a snapshot', () => {
  it('is written with it where it fits', async () => {
    const store = new InMemoryEventStore();
    await appendFitting(store, commitOf('hello'), { snapshot: { small: true } });
    expect(await store.read(ref, { consistency: 'leader' })).toMatchObject([
      { snapshot: { small: true } },
    ]);
  });

  it('is written without it where it does not: an aggregate that grew too large still takes commits', async () => {
    const store = new InMemoryEventStore();
    await appendFitting(store, commitOf('hello'), { snapshot: { HUGE } });
    const [commit] = await store.read(ref, { consistency: 'leader' });
    expect(commit).toMatchObject({ events: [{ type: 'Said' }] });
    expect(commit).not.toHaveProperty('snapshot');
  });

  it('is refused where its events alone do not fit', async () => {
    const store = new InMemoryEventStore();
    await expect(appendFitting(store, commitOf(HUGE), { snapshot: {} })).rejects.toThrow(
      /too large|bytes/,
    );
    expect(await store.read(ref, { consistency: 'leader' })).toEqual([]);
  });
});
