import { checkRef, type Delivery, type SubscriptionFeed } from '#event-store';
import { headers } from '@nats-io/transport-node';
import { decodeCommit } from './codec.js';
import type { NatsLink } from './connection.js';
import {
  PullConsumption,
  ensureConsumer,
  type ConsumptionOptions,
  type PulledMessage,
} from './pull-consumption.js';
import { sagaConsumer, type ConsumerWindows } from './topology.js';

/** Delivers commits to the replicas of a saga through one durable consumer. */
export class JetStreamSubscriptionFeed implements SubscriptionFeed {
  constructor(
    private readonly link: NatsLink,
    private readonly windows: ConsumerWindows,
    private readonly options: ConsumptionOptions = {},
  ) {}

  async subscribe(
    options: Parameters<SubscriptionFeed['subscribe']>[0],
  ): Promise<{ stop(): Promise<void> }> {
    checkRef({ aggregate: options.aggregate, workspace: options.durable, id: '_' });
    const consumer = sagaConsumer(options.durable, options.aggregate, this.windows);
    await ensureConsumer(this.link, consumer);
    const consumption = new PullConsumption(
      this.link,
      { ...consumer, workingMs: this.windows.workingMs, concurrency: options.concurrency },
      async (message) => options.handle(toDelivery(message)),
      this.options,
    );
    await consumption.start();
    return consumption;
  }
}

/** @throws StreamDiverged what was delivered is no commit: it comes again, and again, until someone looks. */
const toDelivery = (message: PulledMessage): Delivery => ({
  commit: decodeCommit({ ...message, headers: message.headers ?? headers() }),
  deliveryCount: message.deliveryCount,
  done: message.done,
  later: message.later,
});
