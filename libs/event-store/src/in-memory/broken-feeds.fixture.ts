import type { Commit, Delivery, EventFeed, SubscriptionFeed } from '../port/event-store.js';
import { InMemoryEventFeed, InMemorySubscriptionFeed, type Durable } from './in-memory-feeds.js';

type FollowOptions = Parameters<EventFeed['follow']>[0];
type SubscribeOptions = Parameters<SubscriptionFeed['subscribe']>[0];

/** Feeds that each break one promise, and keep all others. */

export class ReversesBatches extends InMemoryEventFeed {
  override async *follow(options: FollowOptions): AsyncGenerator<readonly Commit[]> {
    for await (const batch of super.follow(options)) yield [...batch].reverse();
  }
}

export class MissesWhatWokeIt extends InMemoryEventFeed {
  override async *follow(options: FollowOptions): AsyncGenerator<readonly Commit[]> {
    let position = options.after;
    while (!options.signal.aborted) {
      const there = new AbortController();
      if (this.store.length <= position) {
        await this.store.grownPast(position, options.signal);
        position = this.store.length;
        continue;
      }
      for await (const batch of super.follow({
        ...options,
        after: position,
        signal: there.signal,
      })) {
        yield batch;
        position = this.store.length;
        break;
      }
      there.abort();
    }
  }
}

export class HasNoBatchBound extends InMemoryEventFeed {
  override follow(options: FollowOptions): AsyncGenerator<readonly Commit[]> {
    return super.follow({ ...options, batchMax: Number.MAX_SAFE_INTEGER });
  }
}

export class ShowsEveryAggregate extends InMemoryEventFeed {
  override follow({
    aggregates: _all,
    ...options
  }: FollowOptions): AsyncGenerator<readonly Commit[]> {
    return super.follow(options);
  }
}

export class AcknowledgesOnReceipt extends InMemorySubscriptionFeed {
  protected override async deliver(
    durable: Durable,
    handle: (delivery: Delivery) => Promise<void>,
    commit: Commit,
    deliveryCount: number,
  ): Promise<void> {
    const tooEarly = async (delivery: Delivery): Promise<void> => {
      await delivery.done();
      await handle(delivery);
    };
    await super.deliver(durable, tooEarly, commit, deliveryCount);
  }
}

export class GivesEachReplicaAll extends InMemorySubscriptionFeed {
  private subscribers = 0;

  override async subscribe(options: SubscribeOptions): Promise<{ stop(): Promise<void> }> {
    this.subscribers += 1;
    return super.subscribe({ ...options, durable: `${options.durable}-${this.subscribers}` });
  }
}

export class BeginsAtTheEnd extends InMemorySubscriptionFeed {
  protected override durableOf(name: string): Durable {
    const durable = super.durableOf(name);
    if (durable.position === 0) durable.position = this.store.length;
    return durable;
  }
}
