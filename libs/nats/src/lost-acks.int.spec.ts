import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { AggregateStore, type AggregateType, type EventStore } from '#event-store';
import { LossyProxy, NATS_SERIES, natsServerUnderTest, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { JetStreamEventStore } from './jetstream-store.js';
import { TEST_STORE, forgetMessageIds, linkTo } from './jetstream-under-test.fixture.js';
import { STREAM } from './names.js';

interface Opened {
  readonly type: 'Opened';
  readonly data: { readonly by: string };
}

/** Opens at most once: the simplest thing that must not be done twice. */
const door: AggregateType<{ readonly by: string }, { readonly openedBy?: string }, Opened> = {
  decider: {
    aggregate: 'door',
    initialState: () => ({}),
    evolve: (_state, { data }) => ({ openedBy: data.by }),
    decide: ({ by }, { openedBy }) =>
      openedBy === undefined ? [{ type: 'Opened', data: { by } }] : [],
  },
};

const as = { commandId: 'open-1', metadata: { command: 'Open', actor: 'user:ada' } };

describe.each(NATS_SERIES)(
  'on nats-server %s, a publish whose acknowledgement is lost',
  (series) => {
    let server: NatsServerUnderTest;
    let proxy: LossyProxy;
    let sound: NatsLink;
    let lossy: NatsLink;
    let doors = 0;
    beforeAll(async () => {
      server = await natsServerUnderTest({ series });
      sound = await linkTo(server.url);
      proxy = await LossyProxy.start(server.url);
      lossy = await connectLink({ url: proxy.url, name: 'lossy' });
    }, 120_000);
    afterAll(async () => {
      await lossy?.close();
      await sound?.close();
      await proxy?.close();
      await server?.stop();
    });

    const nextDoor = () => ({ workspace: 'main', id: `door-${String((doors += 1))}` });
    const stored = async (id: string): Promise<number> => {
      const manager = await jetstreamManager(sound.connection);
      const subject = `hf.ev.door.main.${id}`;
      const info = await manager.streams.info(STREAM.events, { subjects_filter: subject });
      return info.state.subjects?.[subject] ?? 0;
    };
    const processOn = (link: NatsLink): AggregateStore => {
      const events: EventStore = new JetStreamEventStore(link, TEST_STORE);
      return new AggregateStore(events);
    };

    it('is one commit, found by the retry inside the duplicate window @FM-38', async () => {
      const key = nextDoor();
      const lostBefore = proxy.lost;
      proxy.losePublishAcks(1);
      const executed = await processOn(lossy).execute(door, key, { by: 'ada' }, as);
      expect(proxy.lost - lostBefore).toBe(1);
      expect(executed.events).toStrictEqual([{ type: 'Opened', data: { by: 'ada' } }]);
      expect(await stored(key.id)).toBe(1);
    });

    it('is one commit, though no answer ever comes back @FM-38', async () => {
      const key = nextDoor();
      proxy.losePublishAcks(Number.MAX_SAFE_INTEGER);
      const impatient = new JetStreamEventStore(lossy, { ackTimeoutMs: 50, budgetMs: 200 });
      const executed = await new AggregateStore(impatient).execute(door, key, { by: 'ada' }, as);
      proxy.deliverAll();
      expect(executed.events).toStrictEqual([{ type: 'Opened', data: { by: 'ada' } }]);
      expect(await stored(key.id)).toBe(1);
    });

    it('is one commit, when another process retries after the duplicate window @FM-38', async () => {
      const key = nextDoor();
      proxy.losePublishAcks(1);
      await processOn(lossy).execute(door, key, { by: 'ada' }, as);
      await forgetMessageIds(sound);
      const retry = await processOn(sound).execute(door, key, { by: 'ada' }, as);
      expect(retry).toMatchObject({ repeated: true, events: [{ data: { by: 'ada' } }] });
      expect(await stored(key.id)).toBe(1);
    });

    it('is one commit, when the same append is retried after the duplicate window @FM-38', async () => {
      const key = nextDoor();
      const request = {
        ref: { aggregate: 'door', ...key },
        expected: 0,
        events: [{ type: 'Opened', data: { by: 'ada' } }],
        ...as,
      };
      proxy.losePublishAcks(1);
      const first = await new JetStreamEventStore(lossy, TEST_STORE).append(request);
      await forgetMessageIds(sound);
      const retry = await new JetStreamEventStore(sound, TEST_STORE).append(request);
      expect(retry).toStrictEqual({ ...first, repeated: true });
      expect(await stored(key.id)).toBe(1);
    });

    it('would be two without the expected sequence (negative control) @FM-38', async () => {
      const { id } = nextDoor();
      const publish = async (): Promise<boolean> =>
        (await jetstream(sound.connection).publish(`hf.ev.door.main.${id}`, '[]', { msgID: id }))
          .duplicate;
      expect(await publish()).toBe(false);
      expect(await publish()).toBe(true);
      await forgetMessageIds(sound);
      expect(await publish()).toBe(false);
      expect(await stored(id)).toBe(2);
    });
  },
);
