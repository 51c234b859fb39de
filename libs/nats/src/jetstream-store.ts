import {
  AppendFailed,
  EPOCH_REF,
  NO_COMMIT,
  RevisionConflict,
  StreamDiverged,
  encodeBody,
  epochOf,
  eventSubject,
  type AggregateRef,
  type AppendRequest,
  type Commit,
  type Consistency,
  type EventStore,
  type Revision,
} from '#event-store';
import type { DomainEvent, Epoch } from '#kernel';
import { decodeCommit, encodeHeaders, previousOf, type StoredMessage } from './codec.js';
import type { NatsLink } from './connection.js';
import { DurablePublisher, type Published, type PublisherOptions } from './durable-publisher.js';
import { sleep } from './patience.js';
import { StreamReader, type ReaderOptions } from './stream-reader.js';
import { STREAM } from './names.js';

export interface JetStreamStoreOptions extends PublisherOptions, ReaderOptions {
  /** Whether replicas other than the leader may answer a read with consistency `any`. Default true. */
  readonly allowDirect?: boolean;
  /** How long a leader that shows less than is known to be there is asked again. Default: {@link SETTLE_MS} in a cluster, 0 elsewhere. */
  readonly settleMs?: number;
  /** Told of each commit that was appended or read from the leader, such as a {@link StreamGuard}. */
  readonly onSeen?: (revision: Revision, bodyHash: string) => void;
  /** Told what each append came to, and how long that took. */
  readonly onAppend?: (aggregate: string, outcome: AppendOutcome, ms: number) => void;
}

/** `repeated`: it had been written before. `failed`: not written, or not known. */
export type AppendOutcome = 'written' | 'repeated' | 'conflict' | 'failed';

/**
 * A broker that was leader, was frozen or cut off meanwhile, and does not know yet that another one is, answers for a moment
 * with what it has. Source: it learns of it with the first word of the new one, and elections take up to 7.6 s. Milliseconds.
 */
const SETTLE_MS = 10_000;
const LOOK_AGAIN_MS = 50;

type Appended = Awaited<ReturnType<EventStore['append']>>;

/** What the leader shows in the place where a commit wanted to be. */
type Place =
  | { readonly kind: 'ours'; readonly revision: Revision }
  | { readonly kind: 'theirs' }
  /** Nothing yet: what stood in the way is still on its way into the stream. */
  | { readonly kind: 'empty' };

/** The event store on one JetStream stream: one message is one commit, one subject is one aggregate. */
export class JetStreamEventStore implements EventStore {
  private readonly publisher: DurablePublisher;
  private readonly reader: StreamReader;
  private readonly onSeen: (revision: Revision, bodyHash: string) => void;
  private knownEpoch: Epoch | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly options: JetStreamStoreOptions = {},
  ) {
    this.publisher = new DurablePublisher(link, options);
    this.reader = new StreamReader(link, STREAM.events, options.allowDirect ?? true, options);
    this.onSeen = options.onSeen ?? (() => undefined);
    link.onReconnect(() => {
      this.knownEpoch = undefined; // The stream may have been restored meanwhile.
    });
  }

  async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    const beganMs = performance.now();
    let outcome: AppendOutcome = 'failed';
    try {
      const appended = await this.appendUntilKnown(request);
      outcome = appended.repeated ? 'repeated' : 'written';
      return appended;
    } catch (error) {
      if (error instanceof RevisionConflict) outcome = 'conflict';
      throw error;
    } finally {
      this.options.onAppend?.(request.ref.aggregate, outcome, performance.now() - beganMs);
    }
  }

  private async appendUntilKnown<E extends DomainEvent>(
    request: AppendRequest<E>,
  ): Promise<Appended> {
    const subject = eventSubject(request.ref);
    const body = encodeBody(request);
    const headers = encodeHeaders(request, body, this.reader.stream);
    const message = { subject, data: body.bytes, headers };
    const deadlineMs = performance.now() + this.publisher.budgetMs;
    for (let attempt = 0; ; attempt += 1) {
      const published = await this.publish(message, deadlineMs);
      if (published.kind === 'written')
        return this.seen({ revision: published.sequence, bodyHash: body.hash, repeated: false });
      const place = await this.placeOf(request, body.hash, published);
      if (place.kind === 'ours')
        return this.seen({ revision: place.revision, bodyHash: body.hash, repeated: true });
      const cause = 'cause' in published ? published.cause : undefined;
      if (place.kind === 'theirs') throw new RevisionConflict(subject, request.expected, { cause });
      if (published.kind === 'unknown') throw published.cause;
      const pauseMs = Math.min(10 * 2 ** attempt, 250);
      if (performance.now() + pauseMs > deadlineMs)
        throw new AppendFailed(subject, 'unknown', { cause });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async read(
    ref: AggregateRef,
    options: {
      readonly consistency: Consistency;
      readonly after?: Revision;
      readonly ignoreSnapshots?: boolean;
    },
  ): Promise<readonly Commit[]> {
    const subject = eventSubject(ref);
    const after = options.after ?? NO_COMMIT;
    const look = () => this.reader.last(subject, options.consistency);
    const last =
      options.consistency === 'any'
        ? await look()
        : await this.settled(look, (found) => (found?.sequence ?? NO_COMMIT) >= after);
    if ((last?.sequence ?? NO_COMMIT) < after) {
      if (options.consistency === 'any') return []; // The replica that answered lags behind what is known here.
      throw new StreamDiverged(`${subject} ends before ${after}, which was read before`);
    }
    const commits: Commit[] = [];
    for (let message = last; message !== undefined && message.sequence > after;) {
      const commit = decodeCommit(message);
      commits.unshift(commit);
      if (commit.snapshot !== undefined && options.ignoreSnapshots !== true) break;
      if (commit.previous === after) break;
      if (commit.previous < after)
        throw new StreamDiverged(`${subject} has no commit ${after}, which was read before`);
      message = await this.predecessor(message, options.consistency);
    }
    const newest = commits[commits.length - 1];
    if (newest && options.consistency === 'leader') this.onSeen(newest.revision, newest.bodyHash);
    return commits;
  }

  async at(revision: Revision): Promise<Commit | undefined> {
    if (revision < 1) return undefined;
    const look = () => this.reader.at(revision, 'leader');
    const message = await this.settled(look, (found) => found !== undefined);
    return message && decodeCommit(message);
  }

  async end(atLeast: Revision = NO_COMMIT): Promise<Revision> {
    return this.settled(
      () => this.reader.end(),
      (found) => found >= atLeast,
    );
  }

  async epoch(): Promise<Epoch> {
    this.knownEpoch ??= epochOf(await this.read(EPOCH_REF, { consistency: 'leader' }));
    return this.knownEpoch;
  }

  /** Nothing is known after a budget of unanswered attempts: the caller reads. */
  private async publish(
    message: Parameters<DurablePublisher['publish']>[0],
    deadlineMs: number,
  ): Promise<Published | { readonly kind: 'unknown'; readonly cause: AppendFailed }> {
    try {
      return await this.publisher.publish(message, deadlineMs);
    } catch (error) {
      if (error instanceof AppendFailed && error.outcome === 'unknown')
        return { kind: 'unknown', cause: error };
      throw error;
    }
  }

  private async placeOf(
    request: AppendRequest<DomainEvent>,
    bodyHash: string,
    published: Exclude<Awaited<ReturnType<typeof this.publish>>, { kind: 'written' }>,
  ): Promise<Place> {
    const subject = eventSubject(request.ref);
    const isOurs = (commit: Commit): boolean =>
      commit.commandId === request.commandId && commit.bodyHash === bodyHash;
    switch (published.kind) {
      case 'duplicate': {
        const commit = await this.at(published.sequence);
        if (commit === undefined)
          throw new StreamDiverged(
            `${subject}: the duplicate at ${published.sequence} is not there`,
          );
        return isOurs(commit) ? { kind: 'ours', revision: commit.revision } : { kind: 'theirs' };
      }
      case 'wrong-sequence':
        if (!published.mayBeOwn) return { kind: 'theirs' };
        return this.lookFor(subject, request.expected, isOurs);
      case 'unknown':
        // Unanswered to the end: if even the leader can't be read now, the first error says it all.
        return this.lookFor(subject, request.expected, isOurs).catch(() => ({ kind: 'empty' }));
    }
  }

  /** Goes back from the subject's last commit to the place after `expected`. */
  private async lookFor(
    subject: string,
    expected: Revision,
    isOurs: (commit: Commit) => boolean,
  ): Promise<Place> {
    const last = await this.reader.last(subject, 'leader');
    if ((last?.sequence ?? NO_COMMIT) === expected) return { kind: 'empty' };
    for (let message = last; message !== undefined && message.sequence > expected;) {
      const commit = decodeCommit(message);
      if (isOurs(commit)) return { kind: 'ours', revision: commit.revision };
      if (commit.previous <= expected) break;
      message = await this.predecessor(message, 'leader');
    }
    return { kind: 'theirs' };
  }

  private async predecessor(
    message: StoredMessage,
    consistency: Consistency,
  ): Promise<StoredMessage | undefined> {
    const previous = previousOf(message);
    if (previous === NO_COMMIT) return undefined;
    const found =
      previous < message.sequence
        ? await this.settled(
            () => this.reader.at(previous, consistency),
            (one) => one !== undefined,
          )
        : undefined;
    if (found?.subject !== message.subject)
      throw new StreamDiverged(
        `${message.subject}: commit ${message.sequence} follows ${previous}, which is not there`,
      );
    return found;
  }

  /** Looks again for a while where a leader shows less than is known to be there. */
  private async settled<Found>(
    look: () => Promise<Found>,
    isWhole: (found: Found) => boolean,
  ): Promise<Found> {
    const settleMs = this.options.settleMs ?? (this.link.isClustered ? SETTLE_MS : 0);
    const deadline = performance.now() + settleMs;
    for (;;) {
      const found = await look();
      if (isWhole(found) || performance.now() + LOOK_AGAIN_MS > deadline) return found;
      await sleep(LOOK_AGAIN_MS);
    }
  }

  private seen(appended: Appended): Appended {
    this.onSeen(appended.revision, appended.bodyHash);
    return appended;
  }
}
