import type { Commit, Delivery, SubscriptionFeed } from '#event-store';
import type { Logger, Metrics, ReadinessBoard } from '#platform';
import { tracing, type SpanInfo } from '#tracing';

export interface SagaHostOptions {
  /** The durable name that all replicas of this saga share. */
  readonly durable: string;
  readonly aggregate: string;
  /** Takes whatever steps the aggregate of this commit needs now. Safe to repeat. */
  readonly handle: (commit: Commit) => Promise<void>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: ReadinessBoard;
}

/** Source: the protocol's prefetch. More at a time would wait for each other at the broker. */
const CONCURRENCY = 16;
/** Source: the protocol. From then on an aggregate is parked: it is tried every {@link PARKED_MS}, and does not hurry. */
const FAILURES_MAX = 10;
/** The longest delay that the protocol allows for a redelivery, ms. */
const PARKED_MS = 30_000;
/** The first pause after a failure, ms; doubled with each further one. */
const FIRST_PAUSE_MS = 100;
/** Parked aggregates that are named in the readiness detail. */
const NAMED_MAX = 10;

/**
 * Hands commits to a saga, up to 16 aggregates at a time, and acknowledges each only when its aggregate has been moved
 * as far as it goes now. An aggregate that fails ten times is parked: others go on, and it is tried every 30 s.
 *
 * What is parked is remembered in this process only. Nothing rests on it: the broker keeps the commits and counts their
 * deliveries, so that a new process parks the same aggregate at its next failure.
 */
export class SagaHost {
  private readonly parkedUntil = new Map<string, number>();
  private subscription: { stop(): Promise<void> } | undefined;
  private readonly handled;
  private readonly parked;
  private readonly events;
  private readonly delay;

  constructor(
    private readonly feed: SubscriptionFeed,
    private readonly options: SagaHostOptions,
  ) {
    const { metrics, readiness, durable } = options;
    this.handled = metrics.counter('saga_commits_total', 'Commits by what they came to.', [
      'saga',
      'outcome',
    ]);
    this.events = metrics.counter('events_total', 'Events that a saga has dealt with.', ['event']);
    this.delay = metrics.seconds(
      'saga_delay_seconds',
      'From the append of a commit to its first delivery to a saga, by two clocks.',
      ['saga'],
    );
    this.parked = metrics.gauge('saga_parked', 'Aggregates that failed again and again.', ['saga']);
    this.parked.set({ saga: durable }, 0);
    readiness.set(`saga:${durable}`, () => ({
      ok: this.subscription !== undefined,
      detail: {
        parked: this.parkedUntil.size,
        named: [...this.parkedUntil.keys()].slice(0, NAMED_MAX),
      },
    }));
  }

  async start(): Promise<void> {
    const { durable, aggregate } = this.options;
    this.subscription = await this.feed.subscribe({
      durable,
      aggregate,
      concurrency: CONCURRENCY,
      handle: (delivery) => this.handle(delivery),
    });
  }

  /** Takes nothing more and finishes what is begun. */
  async stop(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  private async handle(delivery: Delivery): Promise<void> {
    const { durable, handle } = this.options;
    const { commit } = delivery;
    const key = `${commit.ref.workspace}/${commit.ref.id}`;
    const waitMs = (this.parkedUntil.get(key) ?? 0) - performance.now();
    if (waitMs > 0) {
      delivery.later(waitMs);
      return;
    }
    if (delivery.deliveryCount === 1)
      this.delay.observe({ saga: durable }, Math.max(0, Date.now() - commit.storedAt) / 1_000);
    try {
      await tracing.within(spanOf(durable, delivery), () => handle(commit));
    } catch (err) {
      this.failed(delivery, key, err);
      return;
    }
    await delivery.done();
    this.handled.inc({ saga: durable, outcome: 'done' });
    for (const { type } of commit.events) this.events.inc({ event: type });
    if (this.parkedUntil.delete(key)) this.countParked();
  }

  private failed(delivery: Delivery, key: string, err: unknown): void {
    const { durable, logger } = this.options;
    const { deliveryCount } = delivery;
    const isParked = deliveryCount >= FAILURES_MAX;
    this.handled.inc({ saga: durable, outcome: isParked ? 'parked' : 'failed' });
    logger[isParked ? 'error' : 'warn'](
      { err, saga: durable, aggregate: key, revision: delivery.commit.revision, deliveryCount },
      isParked ? 'parked: it is tried every 30 s' : 'a step failed, and is tried again',
    );
    const pauseMs = isParked
      ? PARKED_MS
      : Math.min(FIRST_PAUSE_MS * 2 ** (deliveryCount - 1), PARKED_MS);
    if (isParked) {
      this.parkedUntil.set(key, performance.now() + pauseMs);
      this.countParked();
    }
    delivery.later(pauseMs);
  }

  private countParked(): void {
    this.parked.set({ saga: this.options.durable }, this.parkedUntil.size);
  }
}

/** Goes on in the trace of the commit, however long ago and wherever that was made. */
const spanOf = (saga: string, { commit, deliveryCount }: Delivery): SpanInfo => ({
  name: `handle ${commit.ref.aggregate}`,
  kind: 'consumer',
  parent: commit.metadata.traceparent,
  facts: {
    'holdfast.saga': saga,
    'holdfast.workspace': commit.ref.workspace,
    'holdfast.id': commit.ref.id,
    'holdfast.revision': commit.revision,
    'holdfast.events': commit.events.map(({ type }) => type).join(','),
    'holdfast.attempt': deliveryCount,
    'holdfast.redelivered': deliveryCount > 1,
  },
});
