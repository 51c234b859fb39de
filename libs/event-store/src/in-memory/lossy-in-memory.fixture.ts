import type { DomainEvent } from '#kernel';
import type { EventStoreUnderTest } from '../conformance/under-test.js';
import { AppendFailed } from '../port/errors.js';
import type { AppendRequest, EventFeed, SubscriptionFeed } from '../port/event-store.js';
import { eventSubject } from '../ref.js';
import { InMemoryEventStore, type Appended } from './in-memory-event-store.js';
import { InMemoryEventFeed, InMemorySubscriptionFeed } from './in-memory-feeds.js';

/** Can lose an acknowledgement: what was appended is there, and its writer does not know. */
export class LossyInMemoryEventStore extends InMemoryEventStore {
  private losing = false;

  loseNextAcknowledgement(): void {
    this.losing = true;
  }

  override async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    const appended = await super.append(request);
    if (!this.losing) return appended;
    this.losing = false;
    return this.lost(request, appended);
  }

  protected async lost(request: AppendRequest<DomainEvent>, _stored: Appended): Promise<Appended> {
    const cause = new Error('the acknowledgement was lost');
    throw new AppendFailed(eventSubject(request.ref), 'unknown', { cause });
  }
}

/** An in-memory store, and the feeds on it, for the conformance suite. */
export const inMemoryUnderTest = (
  parts: {
    readonly store?: LossyInMemoryEventStore;
    readonly feedOf?: (store: InMemoryEventStore) => EventFeed;
    readonly subscriptionsOf?: (store: InMemoryEventStore) => SubscriptionFeed;
    readonly patienceMs?: number;
  } = {},
): EventStoreUnderTest => {
  const store = parts.store ?? new LossyInMemoryEventStore();
  const subscriptions = parts.subscriptionsOf?.(store) ?? new InMemorySubscriptionFeed(store);
  return {
    store,
    feed: parts.feedOf?.(store) ?? new InMemoryEventFeed(store),
    replicas: [subscriptions, subscriptions],
    loseNextAcknowledgement: () => store.loseNextAcknowledgement(),
    passDuplicateWindow: () => store.passDuplicateWindow(),
    reopened: () => store,
    close: () => undefined,
    ...(parts.patienceMs === undefined ? {} : { patienceMs: parts.patienceMs }),
  };
};
