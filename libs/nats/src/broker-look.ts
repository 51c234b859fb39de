import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsLink } from './connection.js';
import { STREAM } from './names.js';
import { StreamReader } from './stream-reader.js';
import { filterOfAggregate } from './topology.js';

/** A durable consumer, and the aggregate whose commits it hands out. */
export interface ConsumerName {
  readonly durable: string;
  readonly aggregate: string;
}

/** What a consumer has not seen acknowledged. */
export interface ConsumerProgress {
  /** Not handed out yet. */
  readonly waiting: number;
  /** Handed out. */
  readonly inWork: number;
  /** Of those, handed out more than once. */
  readonly again: number;
  /** When the oldest of all of them was stored, by the broker's clock; undefined when there is none. */
  readonly oldestStoredAt: number | undefined;
  /** Requests for more that are open; 0 = nobody takes anything. */
  readonly takers: number;
}

/** A stream and its copies. */
export interface StreamState {
  readonly name: string;
  readonly lastSequence: number;
  readonly bytes: number;
  readonly copies: number;
  /** Copies that lack something, or can't be reached. */
  readonly copiesBehind: number;
}

/** How long one question to the broker may take, ms. */
const REQUEST_TIMEOUT_MS = 1_000;

/** Looks at the broker from outside: how far it is away, how its streams stand, and what consumers lack. Changes nothing. */
export class BrokerLook {
  private readonly reader: StreamReader;
  private manager: Promise<JetStreamManager> | undefined;

  constructor(private readonly link: NatsLink) {
    const times = { requestTimeoutMs: REQUEST_TIMEOUT_MS, budgetMs: REQUEST_TIMEOUT_MS };
    this.reader = new StreamReader(link, STREAM.events, false, times);
  }

  get serverVersion(): string {
    return this.link.serverVersion;
  }

  /** One question and its answer, ms. */
  async roundTripMs(): Promise<number> {
    return this.link.connection.rtt();
  }

  /** All streams. @throws Error the broker could not be asked. */
  async streams(): Promise<readonly StreamState[]> {
    const { streams } = await this.ready();
    const infos = await Promise.all(Object.values(STREAM).map((name) => streams.info(name)));
    return infos.map(({ config, state, cluster }) => {
      const replicas = cluster?.replicas ?? [];
      return {
        name: config.name,
        lastSequence: state.last_seq,
        bytes: state.bytes,
        copies: config.num_replicas,
        copiesBehind: replicas.filter(({ current, offline }) => !current || offline).length,
      };
    });
  }

  /** @throws Error the broker could not be asked, or there is no such consumer. */
  async progressOf({ durable, aggregate }: ConsumerName): Promise<ConsumerProgress> {
    const { consumers } = await this.ready();
    const info = await consumers.info(STREAM.events, durable);
    const { num_pending: waiting, num_ack_pending: inWork } = info;
    const isIdle = waiting + inWork === 0;
    const first = info.ack_floor.stream_seq + 1;
    const oldest = isIdle
      ? undefined
      : await this.reader.next(filterOfAggregate(aggregate), first, 'leader');
    return {
      waiting,
      inWork,
      again: info.num_redelivered,
      oldestStoredAt: oldest?.storedAt,
      takers: info.num_waiting,
    };
  }

  private async ready(): Promise<JetStreamManager> {
    this.manager ??= jetstreamManager(this.link.connection, {
      timeout: REQUEST_TIMEOUT_MS,
      checkAPI: false,
    });
    return this.manager;
  }
}
