import { describe, expect, it } from '@jest/globals';
import { AggregateStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { SESSION_QUEUE_MAX } from '../contract/index.js';
import { StoredSessions } from './stored-sessions.js';

const by = { actor: 'user:ada' };
const opener = 'opener';

/** A session whose opener goes on for ever, with so many runs behind it. */
const sessionWith = async (waiting: number): Promise<StoredSessions> => {
  const places = new StoredSessions(
    new AggregateStore(new InMemoryEventStore()),
    {
      read: (_workspace, runId) =>
        Promise.resolve({ runId, sessionId: opener, agent: 'echo', exists: true, over: false }),
    },
    { now: () => 1_000 },
  );
  for (let index = 0; index < waiting; index += 1)
    await places.enqueue('main', opener, `w${String(index)}`, by);
  return places;
};

describe('a session', () => {
  it('has room while fewer wait than it takes', async () => {
    const places = await sessionWith(SESSION_QUEUE_MAX - 1);
    await expect(places.checkRoom('main', opener)).resolves.toBeUndefined();
  });

  it('that is full takes no further run, and still gives a place to one that was accepted', async () => {
    const places = await sessionWith(SESSION_QUEUE_MAX);
    await expect(places.checkRoom('main', opener)).rejects.toMatchObject({
      code: 'session_queue_full',
    });
    await places.enqueue('main', opener, 'accepted', by);
    expect(await places.standing('main', opener, 'accepted')).toBe('waiting');
  });
});
