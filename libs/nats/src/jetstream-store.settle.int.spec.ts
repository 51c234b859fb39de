import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StreamDiverged, type Commit } from '#event-store';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import type { NatsLink } from './connection.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { linkTo } from './jetstream-under-test.fixture.js';

const SETTLE_MS = 20_000;

/** To its readers, a server that does not have a commit yet is one that was leader, and has missed what came since. */
describe('a leader that shows less than is known to be there', () => {
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

  const append = async (id: string, expected: number): Promise<number> => {
    const appended = await new JetStreamEventStore(link).append({
      ref: { aggregate: 'thing', workspace: 'main', id },
      expected,
      commandId: `after-${String(expected)}`,
      events: [{ type: 'Happened', data: {} }],
      metadata: { command: 'Do', actor: 'service:test' },
    });
    return appended.revision;
  };

  /** Counts what is asked of it, so that the commit follows the first look. */
  const patientStore = (): { store: JetStreamEventStore; hasLooked: () => Promise<unknown> } => {
    const before = link.connection.stats().outMsgs;
    return {
      store: new JetStreamEventStore(link, { settleMs: SETTLE_MS }),
      hasLooked: () => waitUntil('a look', () => link.connection.stats().outMsgs >= before + 2),
    };
  };

  it('is asked again before its stream is taken for another one', async () => {
    const first = await append('read', 0);
    const { store, hasLooked } = patientStore();
    const ref = { aggregate: 'thing', workspace: 'main', id: 'read' };
    const reading: Promise<readonly Commit[]> = store.read(ref, {
      consistency: 'leader',
      after: first + 1,
    });
    await hasLooked();
    expect(await append('read', first)).toBe(first + 1);
    expect(await reading).toEqual([]);
  });

  it('is asked again for its end, and for a commit', async () => {
    const first = await append('end', 0);
    const { store, hasLooked } = patientStore();
    const looking = Promise.all([store.end(first + 1), store.at(first + 1)]);
    await hasLooked();
    await append('end', first);
    const [end, commit] = await looking;
    expect([end, commit?.revision]).toEqual([first + 1, first + 1]);
  });

  it('is believed at once where it is the only one', async () => {
    const first = await append('alone', 0);
    const store = new JetStreamEventStore(link);
    const ref = { aggregate: 'thing', workspace: 'main', id: 'alone' };
    expect(await store.end(first + 1_000)).toBe(first);
    expect(await store.at(first + 1_000)).toBeUndefined();
    await expect(store.read(ref, { consistency: 'leader', after: first + 1_000 })).rejects.toThrow(
      StreamDiverged,
    );
  });
});
