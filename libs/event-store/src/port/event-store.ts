import type { CommandId, DomainEvent, Epoch, Instant, WorkspaceId } from '#kernel';

/** Names one aggregate, and so one subject: `hf.ev.<aggregate>.<workspace>.<id>`. Each token matches `[A-Za-z0-9_-]{1,64}`. */
export interface AggregateRef {
  readonly aggregate: string;
  readonly workspace: WorkspaceId;
  readonly id: string;
}

/** The stream sequence of a commit on its own subject. Opaque, with gaps; 0 = the subject is empty. */
export type Revision = number;
export const NO_COMMIT: Revision = 0;

/** Why, by whom and in which trace a commit was made. Travels in the message's headers. */
export interface CommitMetadata {
  /** The name of the command that was decided, such as `SubmitRun`. */
  readonly command: string;
  /** Who: a principal (`user:ada`), or a service (`service:sagas`), or a node (`node:n1`). */
  readonly actor: string;
  /** The command or event that led here. */
  readonly causationId?: string;
  /** Shared by everything that one request set in motion. */
  readonly correlationId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
}

/** One message of the stream: all events of one decision. */
export interface Commit<E extends DomainEvent = DomainEvent> {
  readonly ref: AggregateRef;
  readonly revision: Revision;
  /** The revision of the commit before it on this subject (0 = it is the first). */
  readonly previous: Revision;
  readonly commandId: CommandId;
  /** SHA-256 of the body, hex: with the revision it identifies the commit over restores. */
  readonly bodyHash: string;
  readonly events: readonly E[];
  /** The folded state after this commit, if the commit carries one (see {@link AppendRequest.snapshot}). */
  readonly snapshot?: unknown;
  readonly metadata: CommitMetadata;
  /** The schema version that its events were written with. */
  readonly schema: number;
  /** The broker's time stamp. */
  readonly storedAt: Instant;
}

export interface AppendRequest<E extends DomainEvent> {
  readonly ref: AggregateRef;
  /** From the load that the decision was based on; `NO_COMMIT` if it must not exist yet. */
  readonly expected: Revision;
  /** Chosen by the caller and kept over retries: a repeat is recognised, for as long as the stream lives. */
  readonly commandId: CommandId;
  /** At least one; serialised at most 768 KiB. */
  readonly events: readonly E[];
  /** The folded state after these events: lets a later load stop here. */
  readonly snapshot?: unknown;
  readonly metadata: CommitMetadata;
}

/**
 * `leader`: what every acknowledged append before this call wrote is seen.
 * `any`: may be a little stale in a cluster; harmless where a compare-and-set follows.
 */
export type Consistency = 'any' | 'leader';

/** Durable, ordered commits, one subject per aggregate; compare-and-set on the subject's last revision. */
export interface EventStore {
  /**
   * Appends one commit: all of its events or none.
   *
   * @returns the stored commit's revision and body hash; `repeated` when this very command had been written before.
   * @throws RevisionConflict another writer was first. Nothing was written.
   * @throws AppendFailed `outcome: 'unknown'` when it may have happened: retry with the same command id and expectation.
   */
  append<E extends DomainEvent>(
    request: AppendRequest<E>,
  ): Promise<{
    readonly revision: Revision;
    readonly bodyHash: string;
    readonly repeated: boolean;
  }>;

  /**
   * The commits of one subject after `after`, oldest first; starts at the newest snapshot if that is later.
   *
   * @throws StoreUnavailable the stream could not be read; nothing is known.
   */
  read(
    ref: AggregateRef,
    options: {
      readonly consistency: Consistency;
      readonly after?: Revision;
      readonly ignoreSnapshots?: boolean;
    },
  ): Promise<readonly Commit[]>;

  /** The commit at a revision of the whole stream, from the leader; undefined when there is none (a gap, or past the end). */
  at(revision: Revision): Promise<Commit | undefined>;

  /**
   * The last revision of the whole stream, from the leader (0 = empty).
   *
   * @param atLeast what is known to be there: a leader that was, and does not know it yet, may answer with less for a
   *   moment. Whoever gets less all the same has met another stream.
   */
  end(atLeast?: Revision): Promise<Revision>;

  /** The store's epoch, as its newest `StreamEpochStarted` says; 1 until one was appended. Cached; refreshed on reconnect. */
  epoch(): Promise<Epoch>;
}
export const EVENT_STORE = Symbol('EventStore');

/** Reads everything in stream order, for projectors: at least once, in order, never past a gap. */
export interface EventFeed {
  /**
   * Commits after `after` in stream order, until `signal` aborts. Batches hold what is there, up to `batchMax`, and
   * are handed over as soon as `lingerMs` passed since their first commit.
   *
   * @param aggregates which aggregates; all when left out.
   */
  follow(options: {
    readonly after: Revision;
    readonly aggregates?: readonly string[];
    readonly batchMax: number;
    readonly lingerMs: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<readonly Commit[]>;
}
export const EVENT_FEED = Symbol('EventFeed');

/** One delivery of a commit to a saga. Exactly one of `done`, `later` and `park` is called once. */
export interface Delivery {
  readonly commit: Commit;
  /** Counts from 1. */
  readonly deliveryCount: number;
  /** Acknowledges: this commit needs no further look. */
  done(): Promise<void>;
  /** Asks for redelivery after `delayMs` (at most 30,000). For failures only. */
  later(delayMs: number): void;
}

/** Delivers commits to the replicas of one saga, each at least once, shared among them; redelivers what was not `done`. */
export interface SubscriptionFeed {
  /**
   * @param durable the name that all replicas share.
   * @param handle called for up to `concurrency` deliveries at a time; it keeps the delivery alive while it runs.
   */
  subscribe(options: {
    readonly durable: string;
    readonly aggregate: string;
    readonly concurrency: number;
    readonly handle: (delivery: Delivery) => Promise<void>;
  }): Promise<{ stop(): Promise<void> }>;
}
export const SUBSCRIPTION_FEED = Symbol('SubscriptionFeed');
