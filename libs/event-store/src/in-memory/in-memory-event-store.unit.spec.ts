import { describe, expect, it } from '@jest/globals';
import {
  EVENT_STORE_CASES,
  describeEventStore,
  type EventStoreCase,
  type EventStoreUnderTest,
} from '../conformance/index.js';
import * as feeds from './broken-feeds.fixture.js';
import * as stores from './broken-stores.fixture.js';
import type { InMemoryEventStore } from './in-memory-event-store.js';
import type { InMemoryEventFeed, InMemorySubscriptionFeed } from './in-memory-feeds.js';
import { inMemoryUnderTest, type LossyInMemoryEventStore } from './lossy-in-memory.fixture.js';

describeEventStore('in memory', () => inMemoryUnderTest());

/** What is broken waits for what never comes: a short patience keeps that short. */
const patienceMs = 300;
const store = (broken: new () => LossyInMemoryEventStore) => () =>
  inMemoryUnderTest({ store: new broken(), patienceMs });
const feed = (broken: new (store: InMemoryEventStore) => InMemoryEventFeed) => () =>
  inMemoryUnderTest({ feedOf: (of) => new broken(of), patienceMs });
const subscriptions = (broken: new (store: InMemoryEventStore) => InMemorySubscriptionFeed) => () =>
  inMemoryUnderTest({ subscriptionsOf: (of) => new broken(of), patienceMs });

/** For each case one implementation that it alone must catch. A case without one proves nothing. */
const BROKEN: { readonly [Case in EventStoreCase]: () => EventStoreUnderTest } = {
  'round-trip': store(stores.ForgetsCorrelation),
  'expected-sequence': store(stores.AcceptsExpectationsAhead),
  'one-winner-of-8': store(stores.ChecksThenWrites),
  'same-command-inside-the-window-is-one-commit': store(stores.CallsRepeatsNew),
  'same-command-outside-the-window-is-one-commit': store(stores.ForgetsCommandIds),
  'lost-acknowledgement-then-retry-is-one-commit': store(stores.WritesAgainAfterSilence),
  'same-command-with-other-content-is-a-conflict': store(stores.ComparesCommandIdsOnly),
  'size-bound': store(stores.HasNoSizeBound),
  'bad-references-are-refused': store(stores.RepairsReferences),
  'predecessor-chain': store(stores.TakesThePreviousOfAll),
  'read-after-a-revision': store(stores.IncludesTheOneBefore),
  'read-starts-at-the-newest-snapshot': store(stores.IgnoresSnapshots),
  'read-without-snapshots': store(stores.AlwaysStartsAtSnapshots),
  'point-read': store(stores.FindsTheNearest),
  end: store(stores.EndsTooEarly),
  epoch: store(stores.StaysInItsFirstEpoch),
  'feed-keeps-the-order-from-a-position': feed(feeds.ReversesBatches),
  'feed-has-no-gap': feed(feeds.MissesWhatWokeIt),
  'feed-batches-are-bounded': feed(feeds.HasNoBatchBound),
  'feed-of-some-aggregates': feed(feeds.ShowsEveryAggregate),
  'subscription-redelivers-what-was-not-done': subscriptions(feeds.AcknowledgesOnReceipt),
  'subscription-shares-among-replicas': subscriptions(feeds.GivesEachReplicaAll),
  'subscription-is-of-one-aggregate': subscriptions(feeds.BeginsAtTheEnd),
};

for (const theCase of EVENT_STORE_CASES)
  describeEventStore(`${theCase} (negative control)`, BROKEN[theCase], { breaks: theCase });

describe('the conformance suite', () => {
  it('has a negative control for each of its cases', () => {
    expect(Object.keys(BROKEN).sort()).toStrictEqual([...EVENT_STORE_CASES].sort());
  });
});
