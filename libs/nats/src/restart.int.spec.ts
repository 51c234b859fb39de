import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Commit } from '#event-store';
import { NATS_SERIES, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import type { NatsLink } from './connection.js';
import { JetStreamEventFeed } from './jetstream-feed.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { JetStreamSubscriptionFeed } from './jetstream-subscription.js';
import { TEST_WINDOWS, linkTo } from './jetstream-under-test.fixture.js';

const WRITERS = 6;
const COMMITS_EACH = 60;

describe.each(NATS_SERIES)('nats-server %s, killed and restarted under load', (series) => {
  let server: NatsServerUnderTest;
  let link: NatsLink;
  beforeAll(async () => {
    server = await natsServerUnderTest({ series });
    link = await linkTo(server.url);
  }, 120_000);
  afterAll(async () => {
    await link?.close();
    await server?.stop();
  });

  it('loses and doubles nothing, and everyone goes on by themselves', async () => {
    const store = new JetStreamEventStore(link, { ackTimeoutMs: 500, budgetMs: 20_000 });
    const reading = new AbortController();
    const followed: Commit[] = [];
    const following = (async () => {
      const feed = new JetStreamEventFeed(link);
      const options = { after: 0, batchMax: 50, lingerMs: 2, signal: reading.signal };
      for await (const batch of feed.follow(options)) followed.push(...batch);
    })();
    const handled = new Set<number>();
    const subscription = await new JetStreamSubscriptionFeed(link, TEST_WINDOWS).subscribe({
      durable: 'restart',
      aggregate: 'thing',
      concurrency: 8,
      handle: async (delivery) => {
        handled.add(delivery.commit.revision);
        await delivery.done();
      },
    });

    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      let expected = 0;
      for (let index = 0; index < COMMITS_EACH; index += 1) {
        const appended = await store.append({
          ref: { aggregate: 'thing', workspace: 'main', id: `w-${String(writer)}` },
          expected,
          commandId: `c-${String(index)}`,
          events: [{ type: 'Written', data: { writer, index } }],
          metadata: { command: 'Write', actor: 'service:test' },
        });
        expected = appended.revision;
      }
    });
    const total = WRITERS * COMMITS_EACH;
    for (const share of [0.25, 0.6]) {
      await waitUntil('enough is written', async () => followed.length >= total * share, 30_000);
      await server.server.kill();
      await server.server.restart();
    }
    await Promise.all(writing);

    await waitUntil('the feed has all', () => followed.length >= total, 30_000);
    await waitUntil('all are handled', () => handled.size >= total, 30_000);
    reading.abort();
    await following;
    await subscription.stop();

    expect(followed.map(({ revision }) => revision)).toStrictEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    );
    for (let writer = 0; writer < WRITERS; writer += 1) {
      const ref = { aggregate: 'thing', workspace: 'main', id: `w-${String(writer)}` };
      const commits = await store.read(ref, { consistency: 'leader' });
      expect(commits.map(({ commandId }) => commandId)).toStrictEqual(
        Array.from({ length: COMMITS_EACH }, (_, index) => `c-${String(index)}`),
      );
    }
  }, 120_000);
});
