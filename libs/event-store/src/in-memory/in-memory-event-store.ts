import { bug, type DomainEvent, type Epoch } from '#kernel';
import { decodeBody, encodeBody, type CommitBody } from '../commit-body.js';
import { epochOf } from '../epoch.js';
import { RevisionConflict, StreamDiverged } from '../port/errors.js';
import {
  NO_COMMIT,
  type AggregateRef,
  type AppendRequest,
  type Commit,
  type Consistency,
  type EventStore,
  type Revision,
} from '../port/event-store.js';
import { EPOCH_REF, eventSubject } from '../ref.js';

interface Stored {
  readonly subject: string;
  readonly request: Omit<AppendRequest<DomainEvent>, 'events' | 'snapshot'>;
  readonly body: CommitBody;
  readonly revision: Revision;
  readonly storedAt: number;
}

export interface Appended {
  readonly revision: Revision;
  readonly bodyHash: string;
  readonly repeated: boolean;
}

/**
 * An event store for tests of what is built on it. It keeps bodies as bytes, as a broker does, so that what is not
 * plain JSON shows; and it remembers command ids only for as long as a broker's duplicate window would.
 */
export class InMemoryEventStore implements EventStore {
  protected readonly log: Stored[] = [];
  private window = new Map<string, Revision>();
  private readonly waiting = new Set<() => void>();

  /** @param now the broker's clock, in milliseconds. */
  constructor(private readonly now: () => number = Date.now) {}

  async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    const subject = eventSubject(request.ref);
    const body = this.encode(request);
    const earlier = this.window.get(windowKey(subject, request.commandId));
    if (earlier !== undefined) return this.resolveRepeat(request, body, earlier);
    if (this.lastOf(subject) !== request.expected) {
      const rival = this.successorOf(subject, request.expected);
      if (rival === undefined) throw new RevisionConflict(subject, request.expected);
      return this.resolveRepeat(request, body, rival);
    }
    return this.store(request, body);
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
    const all = this.log.filter((stored) => stored.subject === subject);
    if (after !== NO_COMMIT && !all.some(({ revision }) => revision === after))
      throw new StreamDiverged(`${subject} has no commit ${after}`);
    const commits = all.filter(({ revision }) => revision > after).map((s) => this.toCommit(s));
    if (options.ignoreSnapshots) return commits;
    const newest = commits.findLastIndex(({ snapshot }) => snapshot !== undefined);
    return commits.slice(Math.max(newest, 0));
  }

  async at(revision: Revision): Promise<Commit | undefined> {
    const stored = this.log[revision - 1];
    return stored && this.toCommit(stored);
  }

  async end(): Promise<Revision> {
    return this.log.length;
  }

  async epoch(): Promise<Epoch> {
    return epochOf(await this.read(EPOCH_REF, { consistency: 'leader' }));
  }

  /** How many commits there are. */
  get length(): number {
    return this.log.length;
  }

  /** Makes the store forget which command ids it has seen, as a broker does after its duplicate window. */
  passDuplicateWindow(): void {
    this.window = new Map();
  }

  /** Up to `max` commits after a revision, in stream order; of one aggregate when it is named. */
  after(revision: Revision, max: number, aggregate?: string): readonly Commit[] {
    const commits: Commit[] = [];
    for (let at = revision; at < this.log.length && commits.length < max; at += 1) {
      const stored = this.stored(at + 1);
      if (aggregate === undefined || stored.request.ref.aggregate === aggregate)
        commits.push(this.toCommit(stored));
    }
    return commits;
  }

  /** Resolves when there is a commit after `revision`, or when the signal aborts. */
  async grownPast(revision: Revision, signal: AbortSignal): Promise<void> {
    while (this.log.length <= revision && !signal.aborted)
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
  }

  protected encode<E extends DomainEvent>(request: AppendRequest<E>): CommitBody {
    return encodeBody(request);
  }

  protected store<E extends DomainEvent>(request: AppendRequest<E>, body: CommitBody): Appended {
    const subject = eventSubject(request.ref);
    const revision = this.log.length + 1;
    this.log.push({ subject, request, body, revision, storedAt: this.now() });
    this.window.set(windowKey(subject, request.commandId), revision);
    for (const wake of [...this.waiting]) wake();
    return { revision, bodyHash: body.hash, repeated: false };
  }

  /** A commit that stands where this one wants to be: the same command with the same content, or a conflict. */
  protected resolveRepeat<E extends DomainEvent>(
    request: AppendRequest<E>,
    body: CommitBody,
    revision: Revision,
  ): Appended {
    const stored = this.stored(revision);
    if (stored.request.commandId !== request.commandId || stored.body.hash !== body.hash)
      throw new RevisionConflict(stored.subject, request.expected);
    return { revision, bodyHash: body.hash, repeated: true };
  }

  protected stored(revision: Revision): Stored {
    const stored = this.log[revision - 1];
    if (stored === undefined) throw bug(`there is no commit ${revision}`);
    return stored;
  }

  protected lastOf(subject: string): Revision {
    return this.log.findLast((stored) => stored.subject === subject)?.revision ?? NO_COMMIT;
  }

  protected successorOf(subject: string, expected: Revision): Revision | undefined {
    return this.log.find((s) => s.subject === subject && s.request.expected === expected)?.revision;
  }

  protected toCommit({ request, body, revision, storedAt }: Stored): Commit {
    const decoded = decodeBody(body.bytes, body.hash, body.carriesSnapshot);
    return {
      ref: request.ref,
      revision,
      previous: request.expected,
      commandId: request.commandId,
      bodyHash: body.hash,
      events: decoded.events,
      ...(body.carriesSnapshot ? { snapshot: decoded.snapshot } : {}),
      metadata: { ...request.metadata },
      schema: 1,
      storedAt,
    };
  }
}

const windowKey = (subject: string, commandId: string): string => `${subject}\n${commandId}`;
