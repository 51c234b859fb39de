import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  type ConsumerConfig,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type MsgHdrs } from '@nats-io/transport-node';
import type { NatsLink } from './connection.js';
import { apiPrefixOf } from './names.js';
import { patiently, sleep } from './patience.js';
import { ACK_PENDING_MAX, PREFETCH, type ConsumerDeclaration } from './topology.js';

/** The durable consumer does not exist. Whoever may make it has not done so. */
export class ConsumerMissing extends Error {
  override readonly name = 'ConsumerMissing';
  readonly code = 'nats.consumer_missing';
}

/** One delivery of a stream's message. */
export interface PulledMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
  /** The broker's time stamp of the message, in milliseconds. */
  readonly storedAt: number;
  /** Counts from 1. */
  readonly deliveryCount: number;
  readonly done: () => Promise<void>;
  readonly later: (delayMs: number) => void;
}

export interface ConsumptionOptions {
  /** Told of what went wrong and is tried again: a failed handler, a consumer that can't be reached. */
  readonly onProblem?: (problem: unknown) => void;
}

/** The longest pause before a redelivery that was asked for. Source: the protocol. Milliseconds. */
const LATER_MAX_MS = 30_000;
/** A handler that runs longer is not kept alive any more: another replica may try. Milliseconds. */
const HANDLE_MAX_MS = 60_000;
/** How long a pull waits at the broker, and how often it shows that it is alive. Milliseconds. */
const PULL = { expiresMs: 5_000, heartbeatMs: 1_000 };
/** How long one question to the broker may take, and making a consumer in all. Milliseconds. */
const REQUEST_TIMEOUT_MS = 2_000;
const ENSURE_BUDGET_MS = 15_000;
const CONSUMER_NOT_FOUND = 10014;

/** Makes a durable consumer, or brings an existing one in line with its declaration. */
export const ensureConsumer = async (
  link: NatsLink,
  declaration: ConsumerDeclaration,
): Promise<void> => {
  const manager = await jetstreamManager(link.connection, {
    checkAPI: false,
    timeout: REQUEST_TIMEOUT_MS,
  });
  await patiently(link, ENSURE_BUDGET_MS, () => addOrUpdate(manager, declaration));
};

const addOrUpdate = async (
  manager: JetStreamManager,
  declaration: ConsumerDeclaration,
): Promise<void> => {
  const { stream, durable } = declaration;
  const config = configOf(declaration);
  // Old servers change an existing consumer when it is added again, new ones refuse: so it is asked for first.
  const existing = await manager.consumers.info(stream, durable).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND) return undefined;
    throw error;
  });
  if (existing === undefined) await manager.consumers.add(stream, config);
  else if (differs(existing.config, config))
    await manager.consumers.update(stream, durable, config);
};

const configOf = ({
  durable,
  filter,
  ackWaitMs,
}: ConsumerDeclaration): Partial<ConsumerConfig> => ({
  durable_name: durable,
  filter_subject: filter,
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: ACK_PENDING_MAX,
  max_deliver: -1,
});

const differs = (found: ConsumerConfig, declared: Partial<ConsumerConfig>): boolean =>
  found.ack_wait !== declared.ack_wait ||
  found.max_ack_pending !== declared.max_ack_pending ||
  found.filter_subject !== declared.filter_subject;

/** Pulls from one durable consumer and hands messages to a handler, `concurrency` at a time, until stopped. */
export class PullConsumption {
  private readonly stopping = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  private current: ConsumerMessages | undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly link: NatsLink,
    private readonly consumer: ConsumerDeclaration & {
      readonly workingMs: number;
      readonly concurrency: number;
    },
    private readonly handle: (message: PulledMessage) => Promise<void>,
    private readonly options: ConsumptionOptions = {},
  ) {}

  /** @throws ConsumerMissing */
  async start(): Promise<void> {
    const forget = this.link.onReconnect(() => this.current?.stop()); // What was asked of the old connection is lost.
    this.current = await this.open();
    this.loop = this.run().finally(forget);
  }

  /** Takes nothing more, gives back what was not begun, and waits for what was. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.current?.stop();
    await this.loop;
    await Promise.allSettled(this.inFlight);
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted;) {
      try {
        this.current ??= await this.open();
        if (this.stopping.signal.aborted) this.current.stop();
        await this.drainInto(this.current);
        failures = 0;
      } catch (error) {
        this.options.onProblem?.(error);
        failures += 1;
        await sleep(Math.min(25 * 2 ** failures, 1_000), this.stopping.signal);
      } finally {
        this.current?.stop();
        this.current = undefined;
      }
    }
  }

  private async drainInto(messages: ConsumerMessages): Promise<void> {
    for await (const message of messages) {
      if (this.stopping.signal.aborted) {
        message.nak(); // Another replica may have it at once.
        continue;
      }
      const handling = this.handleOne(message).finally(() => this.inFlight.delete(handling));
      this.inFlight.add(handling);
      if (this.inFlight.size >= this.consumer.concurrency) await Promise.race(this.inFlight);
    }
  }

  private async handleOne(message: JsMsg): Promise<void> {
    let isAnswered = false;
    const startedMs = performance.now();
    const alive = setInterval(() => {
      const isOver = isAnswered || performance.now() - startedMs > HANDLE_MAX_MS;
      const { connection } = this.link;
      if (isOver || connection.isClosed() || connection.isDraining()) clearInterval(alive);
      else message.working();
    }, this.consumer.workingMs);
    const later = (delayMs: number): void => {
      isAnswered = true;
      message.nak(Math.min(Math.max(delayMs, 0), LATER_MAX_MS));
    };
    const { deliveryCount } = message.info;
    try {
      await this.handle({
        subject: message.subject,
        sequence: message.seq,
        headers: message.headers,
        data: message.data,
        storedAt: message.time.getTime(),
        deliveryCount,
        done: async () => {
          isAnswered = true;
          message.ack();
        },
        later,
      });
    } catch (error) {
      this.options.onProblem?.(error);
      if (!isAnswered && !this.link.connection.isClosed())
        later(Math.min(100 * 2 ** deliveryCount, LATER_MAX_MS));
    } finally {
      clearInterval(alive);
    }
  }

  private async open(): Promise<ConsumerMessages> {
    const { stream, durable } = this.consumer;
    try {
      await this.link.whenConnected(ENSURE_BUDGET_MS);
      const { connection, user } = this.link;
      const apiPrefix = apiPrefixOf(user);
      const client = jetstream(connection, { timeout: REQUEST_TIMEOUT_MS, apiPrefix });
      const consumer = await client.consumers.get(stream, durable);
      return await consumer.consume({
        max_messages: PREFETCH,
        expires: PULL.expiresMs,
        idle_heartbeat: PULL.heartbeatMs,
      });
    } catch (cause) {
      if (cause instanceof JetStreamApiError && cause.code === CONSUMER_NOT_FOUND)
        throw new ConsumerMissing(`${stream} has no consumer ${durable}`, { cause });
      throw cause;
    }
  }
}
