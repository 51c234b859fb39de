import { jetstream, jetstreamManager, type PubAck } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import { encodeBody, eventSubject } from '#event-store';
import type { EventStoreUnderTest } from '#event-store/conformance';
import { LossyProxy, isPublishAck, waitUntil, type NatsServerUnderTest } from '#testing';
import { encodeHeaders } from './codec.js';
import { connectLink, type NatsLink } from './connection.js';
import { JetStreamEventFeed } from './jetstream-feed.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { JetStreamSubscriptionFeed } from './jetstream-subscription.js';
import { STREAM } from './names.js';
import { frameSubject, outputSubject } from './subjects.js';
import { assertTopology } from './topology-check.js';
import { DUPLICATE_WINDOW_MS } from './topology.js';

/** Short, so that a lost acknowledgement costs a test little. Milliseconds. */
export const TEST_STORE = { ackTimeoutMs: 80, budgetMs: 8_000 };
export const TEST_WINDOWS = { ackWaitMs: 1_000, workingMs: 300 };

/** Connects, and makes the streams where they are missing. */
export const linkTo = async (url: string, name = 'test'): Promise<NatsLink> => {
  const link = await connectLink({ url, name, reconnectWaitMs: 20 });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  return link;
};

/** The adapter on a real server, over a connection that loses nothing. */
export const directUnderTest = async ({
  url,
}: NatsServerUnderTest): Promise<EventStoreUnderTest> => {
  const link = await linkTo(url);
  return {
    ...adapterOn(link),
    passDuplicateWindow: async () => forgetMessageIds(link),
    close: async () => link.close(),
  };
};

/** The adapter over a connection that loses every fourth acknowledgement of a publish, and the next one on demand. */
export const lossyUnderTest = async ({
  url,
}: NatsServerUnderTest): Promise<EventStoreUnderTest> => {
  const proxy = await LossyProxy.start(url);
  const administration = await linkTo(url, 'administration');
  const link = await connectLink({ url: proxy.url, name: 'lossy', reconnectWaitMs: 20 });
  let acks = 0;
  let onDemand = 0;
  proxy.lose((frame) => {
    if (!isPublishAck(frame)) return false;
    acks += 1;
    if (onDemand === 0) return acks % 4 === 0;
    onDemand -= 1;
    return true;
  });
  return {
    ...adapterOn(link),
    loseNextAcknowledgement: () => {
      onDemand += 1;
    },
    passDuplicateWindow: async () => forgetMessageIds(administration),
    close: async () => {
      await link.close();
      await administration.close();
      await proxy.close();
    },
  };
};

const adapterOn = (
  link: NatsLink,
): Pick<EventStoreUnderTest, 'store' | 'feed' | 'replicas' | 'reopened'> => ({
  store: new JetStreamEventStore(link, TEST_STORE),
  feed: new JetStreamEventFeed(link),
  replicas: [
    new JetStreamSubscriptionFeed(link, TEST_WINDOWS),
    new JetStreamSubscriptionFeed(link, TEST_WINDOWS),
  ],
  reopened: () => new JetStreamEventStore(link, TEST_STORE),
});

/**
 * Makes the broker forget every message id that it has seen, by closing its duplicate window for a moment. It is over
 * when an id that was stored after all others is taken for new.
 */
export const forgetMessageIds = async (
  link: NatsLink,
  of: 'events' | 'frames' | 'output' = 'events',
): Promise<void> => {
  const manager = await jetstreamManager(link.connection);
  const probe = of === 'events' ? eventProbe(link) : plainProbe(link, of);
  await probe();
  // The broker goes through its ids when the window changes; once in a while it does so with the window that was.
  let windowMs = 100;
  await waitUntil('the broker has forgotten the last id', async () => {
    await manager.streams.update(STREAM[of], { duplicate_window: nanos(windowMs) });
    windowMs = windowMs === 100 ? 101 : 100;
    return !(await probe()).duplicate;
  });
  await manager.streams.update(STREAM[of], { duplicate_window: nanos(DUPLICATE_WINDOW_MS) });
};

/** Publishes one and the same commit each time, without an expected sequence. */
const eventProbe = (link: NatsLink): (() => Promise<PubAck>) => {
  const request = {
    ref: { aggregate: 'probe', workspace: '_', id: randomUUID() },
    expected: 0,
    commandId: 'probe',
    events: [{ type: 'Probed', data: {} }],
    metadata: { command: 'Probe', actor: 'service:test' },
  };
  const body = encodeBody(request);
  const headers = encodeHeaders(request, body, STREAM.events);
  headers.delete('Nats-Expected-Last-Subject-Sequence');
  const client = jetstream(link.connection);
  return async () => client.publish(eventSubject(request.ref), body.bytes, { headers });
};

const plainProbe = (link: NatsLink, of: 'frames' | 'output'): (() => Promise<PubAck>) => {
  const msgID = randomUUID();
  const subject =
    of === 'output'
      ? outputSubject({ workspace: '_', run: msgID, node: 'n' })
      : frameSubject({ workspace: '_', node: 'n', journalId: 'j', work: msgID, generation: 1 });
  const client = jetstream(link.connection);
  return async () => client.publish(subject, '', { msgID });
};
