import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LossyProxy, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { FrameFeed, FramePublisher, ensureFrameConsumer, type FrameDelivery } from './frames.js';
import {
  TEST_STORE,
  TEST_WINDOWS,
  forgetMessageIds,
  linkTo,
} from './jetstream-under-test.fixture.js';
import { STREAM } from './names.js';
import { ConsumerMissing } from './pull-consumption.js';
import { StreamReader } from './stream-reader.js';
import type { FrameAddress } from './subjects.js';

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

let nodes = 0;
const someAddress = (more: Partial<FrameAddress> = {}): FrameAddress => ({
  workspace: 'main',
  node: `n-${String((nodes += 1))}`,
  journalId: 'j-1',
  work: 'run-1',
  generation: 1,
  ...more,
});

const stored = async (address: FrameAddress): Promise<string[]> => {
  const reader = new StreamReader(link, STREAM.frames, false);
  const bodies: string[] = [];
  const subject = `hf.frame.${address.workspace}.${address.node}.>`;
  for (let after = 0; ;) {
    const message = await reader.next(subject, after + 1, 'leader');
    if (message === undefined) return bodies;
    after = message.sequence;
    bodies.push(new TextDecoder().decode(message.data));
  }
};

/** Takes a node's frames until stopped. */
const taking = async (address: FrameAddress, handle: (delivery: FrameDelivery) => Promise<void>) =>
  new FrameFeed(link, TEST_WINDOWS).subscribe({
    workspace: address.workspace,
    node: address.node,
    concurrency: 1,
    handle,
  });

describe('a frame', () => {
  it('is there once, however often and by whomever it is published', async () => {
    const address = someAddress();
    const publishers = Array.from({ length: 5 }, () => new FramePublisher(link));
    const outcomes = await Promise.all(publishers.map(async (p) => p.publish(address, { n: 1 })));
    expect(outcomes.sort()).toStrictEqual([
      ...Array.from({ length: 4 }, () => 'already-there'),
      'published',
    ]);
    expect(await stored(address)).toStrictEqual(['{"n":1}']);
  });

  it('is there once, when its acknowledgement is lost, inside and outside the duplicate window @FM-38', async () => {
    const proxy = await LossyProxy.start(server.url);
    const lossy = await connectLink({ url: proxy.url, name: 'lossy' });
    const address = someAddress();
    proxy.losePublishAcks(1);
    const publisher = new FramePublisher(lossy, TEST_STORE);
    expect(await publisher.publish(address, { n: 1 })).toBe('already-there');
    await forgetMessageIds(link, 'frames');
    expect(await publisher.publish(address, { n: 2 })).toBe('already-there');
    expect(await stored(address)).toStrictEqual(['{"n":1}']);
    await lossy.close();
    await proxy.close();
  });

  it('of another generation, work, journal or node is another one', async () => {
    const address = someAddress();
    const others = [{}, { generation: 2 }, { work: 'run-2' }, { journalId: 'j-2' }];
    const publisher = new FramePublisher(link);
    for (const other of others)
      expect(await publisher.publish({ ...address, ...other }, {})).toBe('published');
    expect(await stored(address)).toHaveLength(4);
  });
});

describe("a node's feed", () => {
  it('brings its own frames, with their address, until each is done, over its restarts', async () => {
    const address = someAddress();
    await ensureFrameConsumer(link, address.workspace, address.node, TEST_WINDOWS);
    const publisher = new FramePublisher(link);
    await publisher.publish(someAddress(), { to: 'another node' });
    await publisher.publish(address, { to: 'me' });
    await publisher.publish({ ...address, generation: 2 }, { to: 'me' });
    const seen: [number, number][] = [];
    let body: unknown;
    const first = await taking(address, async (delivery) => {
      seen.push([delivery.address.generation, delivery.deliveryCount]);
      body = delivery.body;
      if (delivery.address.generation === 1) await delivery.done();
      else throw new Error('could not be journalled');
    });
    await waitUntil('both came', () => seen.length >= 2);
    await first.stop();
    const before = seen.length;
    const second = await taking(address, async (delivery) => {
      seen.push([delivery.address.generation, delivery.deliveryCount]);
      await delivery.done();
    });
    await waitUntil('the second came again', () => seen.length > before);
    await second.stop();
    expect(body).toStrictEqual({ to: 'me' });
    expect(seen[0]).toStrictEqual([1, 1]);
    expect(new Set(seen.slice(1).map(([generation]) => generation))).toStrictEqual(new Set([2]));
    expect(seen.at(-1)![1]).toBeGreaterThan(1);
  });

  it('is refused before the node has joined', async () => {
    const address = someAddress();
    await expect(taking(address, async () => undefined)).rejects.toThrow(ConsumerMissing);
  });

  it('does not mistake one node for another whose names look alike', async () => {
    const [one, other] = [
      someAddress({ workspace: 'a-b', node: 'c' }),
      someAddress({ workspace: 'a', node: 'b-c' }),
    ];
    for (const { workspace, node } of [one, other])
      await ensureFrameConsumer(link, workspace, node, TEST_WINDOWS);
    await new FramePublisher(link).publish(one, {});
    const seen: FrameAddress[] = [];
    const feeds = await Promise.all(
      [one, other].map(async (address) =>
        taking(address, async (delivery) => {
          seen.push(delivery.address);
          await delivery.done();
        }),
      ),
    );
    await new FramePublisher(link).publish(other, {});
    await waitUntil('both came', () => seen.length >= 2);
    await Promise.all(feeds.map(async (feed) => feed.stop()));
    expect(seen).toHaveLength(2);
  });

  it('takes its new windows when they are configured anew', async () => {
    const address = someAddress();
    await ensureFrameConsumer(link, address.workspace, address.node, TEST_WINDOWS);
    const longer = { ...TEST_WINDOWS, ackWaitMs: 9_000 };
    await ensureFrameConsumer(link, address.workspace, address.node, longer);
    await ensureFrameConsumer(link, address.workspace, address.node, longer);
  });
});
