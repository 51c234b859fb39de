import { randomBytes } from 'node:crypto';
import type { DomainEvent, WorkspaceId } from '#kernel';
import type {
  AggregateRef,
  AppendRequest,
  EventFeed,
  EventStore,
  SubscriptionFeed,
} from '../port/event-store.js';

/** An event store with everything that the suite needs to do to it. */
export interface EventStoreUnderTest {
  readonly store: EventStore;
  readonly feed: EventFeed;
  /** Two replicas of one saga: each is subscribed under the same durable name. */
  readonly replicas: readonly [SubscriptionFeed, SubscriptionFeed];
  /** Makes the next append write, and its acknowledgement get lost. Left out where nothing can get lost. */
  readonly loseNextAcknowledgement?: () => void | Promise<void>;
  /** Resolves once the command ids that were used so far are remembered by nothing but the stream itself. */
  passDuplicateWindow(): void | Promise<void>;
  /** The store as another process opens it: nothing is cached. */
  reopened(): EventStore | Promise<EventStore>;
  close(): void | Promise<void>;
  /** How long to wait for what should come, before it counts as missing. Default 15,000 ms; short for what is broken. */
  readonly patienceMs?: number;
}

/** One promise of the port. Throws when it is broken. */
export type ConformanceCase = (under: EventStoreUnderTest) => Promise<void>;

export const patienceOf = (under: EventStoreUnderTest): number => under.patienceMs ?? 15_000;

/** A workspace that no other case uses, so that cases can share one store. */
export const someWorkspace = (): WorkspaceId => `w${randomBytes(8).toString('hex')}`;

export const someRef = (aggregate = 'thing'): AggregateRef => ({
  aggregate,
  workspace: someWorkspace(),
  id: 'a-1',
});

/** An event with text that a careless encoding would change. */
export const happened = (what: string): DomainEvent => ({
  type: 'Happened',
  data: { what, note: 'ünï¢ødé \u2028 "quoted"', at: 1_764_000_000_123 },
});

export const request = (
  ref: AggregateRef,
  commandId: string,
  more: Partial<AppendRequest<DomainEvent>> = {},
): AppendRequest<DomainEvent> => ({
  ref,
  expected: 0,
  commandId,
  events: [happened(commandId)],
  metadata: { command: 'DoThing', actor: 'service:conformance' },
  ...more,
});

/** Appends `count` commits to one aggregate. @returns their revisions. */
export const appendChain = async (
  store: EventStore,
  ref: AggregateRef,
  count: number,
  more: (index: number) => Partial<AppendRequest<DomainEvent>> = () => ({}),
): Promise<number[]> => {
  const revisions: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const expected = revisions[index - 1] ?? 0;
    const commandId = `c-${String(index + 1)}`;
    const appended = await store.append(request(ref, commandId, { expected, ...more(index) }));
    revisions.push(appended.revision);
  }
  return revisions;
};
