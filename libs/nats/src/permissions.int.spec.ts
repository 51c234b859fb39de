import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PermissionViolationError } from '@nats-io/transport-node';
import { NATS_SERIES, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { FrameFeed, FramePublisher, ensureFrameConsumer } from './frames.js';
import { JetStreamEventFeed } from './jetstream-feed.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { JetStreamSubscriptionFeed } from './jetstream-subscription.js';
import { TEST_STORE, TEST_WINDOWS } from './jetstream-under-test.fixture.js';
import { LeaseJudge, LeaseKeeper } from './leases.js';
import { inboxPrefixOf } from './names.js';
import { OutputReader, OutputWriter } from './output.js';
import { NATS_SERVICES, natsLoginOf, natsUserOf, type NatsPrincipal } from './permissions.js';
import { RequestClient } from './request-client.js';
import { RequestServer } from './serve.js';
import { assertTopology } from './topology-check.js';

const NODE = { workspace: 'main', node: 'n1' };
const PRINCIPALS: readonly NatsPrincipal[] = [
  ...NATS_SERVICES,
  NODE,
  { workspace: 'main', node: 'n2' },
  { workspace: 'other', node: 'n1' },
];
const leases = { leaseMs: 600, renewalMs: 200 };

describe.each(NATS_SERIES)('users with least privilege on nats-server %s', (series) => {
  let server: NatsServerUnderTest;
  const links = new Map<string, NatsLink>();
  const complaints: string[] = [];
  const link = (principal: NatsPrincipal): NatsLink => links.get(natsUserOf(principal))!;
  beforeAll(async () => {
    const users = PRINCIPALS.map((principal) => ({
      ...natsLoginOf(principal),
      password: 'secret',
    }));
    server = await natsServerUnderTest({ series, users });
    for (const { name } of users) {
      const one = await connectLink({ url: server.server.urlFor(name), name });
      one.onError((error) => complaints.push(error.message));
      links.set(name, one);
    }
    await assertTopology(link('commands'), { mode: 'create', replicas: 1 });
  }, 120_000);
  afterAll(async () => {
    for (const one of links.values()) await one.close();
    await server?.stop();
  });
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    expect(complaints.splice(0)).toStrictEqual([]); // What works, works without stumbling.
  });

  /** What the broker refuses of what a user does now. */
  const refusalOf = async (user: NatsLink, act: () => unknown): Promise<string> => {
    const refused: string[] = [];
    const forget = user.onError((error) => {
      if (error instanceof PermissionViolationError)
        refused.push(`${error.operation} ${error.subject}`);
    });
    act();
    await waitUntil('the broker refuses it', () => refused.length > 0);
    forget();
    complaints.length = 0;
    return refused.join();
  };

  const serve = async (principal: NatsPrincipal, subject: string): Promise<void> => {
    const one = new RequestServer(link(principal), {
      queue: natsUserOf(principal),
      onUnexpected: () => undefined,
    });
    one.serve(subject, async () => natsUserOf(principal));
    await one.ready();
    stops.push(async () => one.close());
  };
  const ask = async (principal: NatsPrincipal, subject: string) =>
    new RequestClient(link(principal)).request(subject, {}, { timeoutMs: 2_000 });
  const append = async (principal: NatsPrincipal, id: string) =>
    new JetStreamEventStore(link(principal), TEST_STORE).append({
      ref: { aggregate: 'run', workspace: 'main', id },
      expected: 0,
      commandId: 'c-1',
      events: [{ type: 'Happened', data: {} }],
      metadata: { command: 'Do', actor: 'service:test' },
    });

  it.each(NATS_SERVICES)('%s finds the topology', async (service) => {
    await assertTopology(link(service), { mode: 'check', replicas: 1 });
  });

  it.each(['commands', 'sagas', 'reconciler'] as const)(
    '%s appends, reads, publishes frames and judges leases',
    async (service) => {
      const { revision } = await append(service, `r-${service}`);
      const store = new JetStreamEventStore(link(service), TEST_STORE);
      const ref = { aggregate: 'run', workspace: 'main', id: `r-${service}` };
      for (const consistency of ['any', 'leader'] as const)
        expect(await store.read(ref, { consistency })).toHaveLength(1);
      expect((await store.at(revision))?.revision).toBe(revision);
      expect(await store.end()).toBeGreaterThanOrEqual(revision);
      const address = { ...NODE, journalId: 'j', work: service, generation: 1 };
      expect(await new FramePublisher(link(service)).publish(address, {})).toBe('published');
      const judge = new LeaseJudge(link(service), service, leases);
      expect(await judge.judge('main', 'n-unheard-of')).toStrictEqual({ kind: 'never' });
    },
  );

  it('the gateway reaches the services, and they answer', async () => {
    await serve('commands', 'hf.cmd.runs.submit');
    await serve('queries', 'hf.qry.>');
    await serve('sagas', 'hf.cmd.*.advance');
    expect(await ask('gateway', 'hf.cmd.runs.submit')).toMatchObject({ value: 'commands' });
    expect(await ask('gateway', 'hf.qry.runs.list')).toMatchObject({ value: 'queries' });
    expect(await ask('reconciler', 'hf.cmd.runs.advance')).toMatchObject({ value: 'sagas' });
  });

  it('a node joins, takes frames, renews its lease, writes output and answers', async () => {
    await serve('commands', 'hf.cmd.runs.claim.*.*');
    await serve(NODE, 'hf.ask.main.n1');
    await ensureFrameConsumer(link('commands'), 'main', 'n1', TEST_WINDOWS);
    const taken: string[] = [];
    const feed = await new FrameFeed(link(NODE), TEST_WINDOWS).subscribe({
      ...NODE,
      concurrency: 1,
      handle: async (delivery) => {
        taken.push(delivery.address.work);
        await delivery.done();
      },
    });
    stops.push(async () => feed.stop());
    const address = { ...NODE, journalId: 'j', work: 'taken', generation: 1 };
    await new FramePublisher(link('sagas')).publish(address, {});
    await waitUntil('the frame is taken', () => taken.includes('taken'));
    expect(await ask(NODE, 'hf.cmd.runs.claim.main.n1')).toMatchObject({ value: 'commands' });
    expect(await ask('sagas', 'hf.ask.main.n1')).toMatchObject({ value: 'node.main.n1' });
    const keeper = LeaseKeeper.forNode(link(NODE), NODE, leases, () => ({}));
    expect(await keeper.renew()).toBe(true);
    const data = new TextEncoder().encode('out');
    const output = { ...NODE, run: 'r' };
    const chunk = { ...output, generation: 1, offset: 0, data, journal: 'j' };
    await new OutputWriter(link(NODE)).write(chunk);
    const read = new OutputReader(link('queries')).read(output, { after: 0, limit: 10 });
    expect((await read).chunks).toHaveLength(1);
  });

  it('a frame that a node has done does not come again', async () => {
    await ensureFrameConsumer(link('commands'), 'other', 'n1', TEST_WINDOWS);
    const node = { workspace: 'other', node: 'n1' };
    const counts: number[] = [];
    const feed = await new FrameFeed(link(node), TEST_WINDOWS).subscribe({
      ...node,
      concurrency: 1,
      handle: async (delivery) => {
        counts.push(delivery.deliveryCount);
        if (counts.length === 1) throw new Error('once more');
        await delivery.done();
      },
    });
    stops.push(async () => feed.stop());
    const publisher = new FramePublisher(link('sagas'));
    await publisher.publish({ ...node, journalId: 'j', work: 'w-1', generation: 1 }, {});
    await waitUntil('it came twice', () => counts.length === 2);
    await publisher.publish({ ...node, journalId: 'j', work: 'w-2', generation: 1 }, {});
    await waitUntil('the next came', () => counts.length === 3);
    expect(counts).toStrictEqual([1, 2, 1]);
  });

  it('sagas are shared commits, the projector follows them', async () => {
    const subscription = await new JetStreamSubscriptionFeed(link('sagas'), TEST_WINDOWS).subscribe(
      {
        durable: 'runs',
        aggregate: 'run',
        concurrency: 1,
        handle: async (delivery) => {
          handled.push(delivery.commit.ref.id);
          await delivery.done();
        },
      },
    );
    const handled: string[] = [];
    stops.push(async () => subscription.stop());
    await append('commands', 'r-followed');
    await waitUntil('it is handled', () => handled.includes('r-followed'));
    const reading = new AbortController();
    const options = { after: 0, batchMax: 10, lingerMs: 1, signal: reading.signal };
    const followed: string[] = [];
    for await (const batch of new JetStreamEventFeed(link('projector')).follow(options)) {
      followed.push(...batch.map(({ ref }) => ref.id));
      if (followed.includes('r-followed')) break;
    }
    expect(followed).toContain('r-followed');
  });

  it.each<[NatsPrincipal, string]>([
    ['gateway', 'hf.ev.run.main.r1'],
    ['gateway', 'hf.frame.main.n1.j.r1.1'],
    ['gateway', 'hf.ask.main.n1'],
    ['gateway', 'hf.cmd.runs.claim.main.n1'],
    ['gateway', 'hf.cmd.runs.report.main.n1'],
    ['gateway', 'hf.cmd.spawns.claim.main.n1'],
    ['gateway', 'hf.cmd.spawns.report.main.n1'],
    ['projector', 'hf.ev.run.main.r1'],
    ['projector', 'hf.cmd.runs.submit'],
    ['projector', '$JS.API.CONSUMER.DELETE.HF_EVENTS.runs'],
    ['queries', 'hf.ev.run.main.r1'],
    ['queries', 'hf.output.main.r1.n1'],
    ['commands', '$JS.API.STREAM.DELETE.HF_EVENTS'],
    ['commands', '$JS.API.STREAM.PURGE.HF_EVENTS'],
    ['commands', '$JS.API.STREAM.UPDATE.HF_EVENTS'],
    ['commands', '$JS.API.STREAM.MSG.DELETE.HF_EVENTS'],
    ['commands', 'hf.lease.main.n1'],
    ['sagas', 'hf.lease.main.n1'],
    [NODE, 'hf.ev.run.main.r1'],
    [NODE, 'hf.frame.main.n1.j.r1.1'],
    [NODE, 'hf.cmd.runs.claim.main.n2'],
    [NODE, 'hf.cmd.runs.report.other.n1'],
    [NODE, 'hf.cmd.runs.submit'],
    [NODE, 'hf.cmd.spawns.claim.main.n2'],
    [NODE, 'hf.cmd.spawns.report.other.n1'],
    [NODE, 'hf.cmd.spawns.strictInvoke'],
    [NODE, 'hf.cmd.nodes.return'],
    [NODE, 'hf.cmd.access.issue-token'],
    [NODE, 'hf.cmd.spawns.strictInvoke'],
    [NODE, 'hf.cmd.spawns.create'],
    ['reconciler', 'hf.cmd.spawns.strictInvoke'],
    ['sagas', 'hf.cmd.spawns.replay'],
    [NODE, 'hf.lease.main.n2'],
    [NODE, 'hf.lease._observer.n1'],
    [NODE, 'hf.output.main.r1.n2'],
    [NODE, 'hf.output.main.r1'],
    [NODE, 'hf.output.other.r1.n1'],
    [NODE, '$JS.API.CONSUMER.MSG.NEXT.HF_FRAMES.frames-main~n2'],
    [NODE, '$JS.API.CONSUMER.CREATE.HF_FRAMES.mine.hf.frame.main.n2.>'],
    [NODE, '$JS.API.STREAM.MSG.GET.HF_EVENTS'],
    [NODE, '$JS.ACK.HF_FRAMES.frames-main~n2.1.1.1.1.1'],
    [NODE, '_INBOX_sagas.guessed'],
  ])('%p may not publish to %s', async (principal, subject) => {
    const user = link(principal);
    const refused = await refusalOf(user, () => user.connection.publish(subject, '{}'));
    expect(refused).toBe(`publish ${subject}`);
  });

  const OUTPUT_OF_N1 = 'hf.output.main.r-1.n1';
  let replies = 0;

  describe('nobody who may not append has it done by somebody else, with a reply into the stream', () => {
    /** Each with what would be the answer. */
    const VECTORS: readonly (readonly [string, string, string])[] = [
      ['the answer of a service', 'hf.cmd.runs.claim.main.n1', '{}'],
      ['the acknowledgement of a lease', 'hf.lease.main.n1', '{}'],
      ['the acknowledgement of output', OUTPUT_OF_N1, '{}'],
      ['frames', 'hf.js.CONSUMER.MSG.NEXT.HF_FRAMES.frames-main~n1', '{"batch":1,"no_wait":true}'],
      ['what is known of a consumer', 'hf.js.CONSUMER.INFO.HF_FRAMES.frames-main~n1', ''],
    ];
    it.each(VECTORS)('%s', async (_what, subject, body) => {
      await serve('commands', 'hf.cmd.runs.claim.*.*');
      await ensureFrameConsumer(link('commands'), 'main', 'n1', TEST_WINDOWS);
      await new FramePublisher(link('sagas')).publish(
        { ...NODE, journalId: 'j', work: `reply-${String((replies += 1))}`, generation: 1 },
        {},
      );
      const store = new JetStreamEventStore(link('commands'), TEST_STORE);
      const end = await store.end();
      const reply = `hf.ev.run.main.forged-${String(replies)}`;
      link(NODE).connection.publish(subject, body, { reply });
      // What is asked after it is answered after it: by then the other answer would be stored.
      await ask(NODE, 'hf.cmd.runs.claim.main.n1');
      await link(NODE).connection.flush();
      await link('commands').connection.flush();
      expect(await store.end()).toBe(end);
    });
  });

  it.each([
    'hf.js.CONSUMER.MSG.NEXT.HF_FRAMES.frames-main~n1',
    'hf.js.CONSUMER.INFO.HF_FRAMES.frames-main~n1',
    'hf.js.CONSUMER.INFO.HF_FRAMES.nobody',
  ])('an answer that is sent on to %s leaves the broker alive', async (reply) => {
    link(NODE).connection.publish('hf.output.main.r-1.n1', '{}', { reply });
    link(NODE).connection.publish('hf.lease.main.n1', '{}', { reply });
    await link(NODE).connection.flush();
    await link('commands').connection.flush();
    expect(await new JetStreamEventStore(link('commands'), TEST_STORE).end()).toBeGreaterThan(0);
  });

  it.each<[NatsPrincipal, string]>([
    ['gateway', 'hf.cmd.>'],
    ['gateway', 'hf.ev.>'],
    ['queries', 'hf.cmd.runs.submit'],
    ['projector', 'hf.qry.>'],
    [NODE, 'hf.ask.main.n2'],
    [NODE, 'hf.ask.>'],
    [NODE, 'hf.ev.>'],
    [NODE, 'hf.frame.main.n1.>'],
    [NODE, `${inboxPrefixOf('sagas')}.>`],
    [NODE, '_INBOX.>'],
    [NODE, `${inboxPrefixOf('node.main.n2')}.>`],
    [NODE, '>'],
  ])('%p may not subscribe to %s', async (principal, subject) => {
    const user = link(principal);
    const refused = await refusalOf(user, () =>
      user.connection.subscribe(subject, { callback: () => undefined }),
    );
    expect(refused).toBe(`subscription ${subject}`);
  });
});
