import { setImmediate as nextTick } from 'node:timers/promises';
import type { DomainEvent } from '#kernel';
import { encodeBody, hashOf, type CommitBody } from '../commit-body.js';
import { CommitTooLarge } from '../port/errors.js';
import type {
  AggregateRef,
  AppendRequest,
  Commit,
  EventStore,
  Revision,
} from '../port/event-store.js';
import { eventSubject, isToken } from '../ref.js';
import type { Appended } from './in-memory-event-store.js';
import { LossyInMemoryEventStore } from './lossy-in-memory.fixture.js';

type ReadOptions = Parameters<EventStore['read']>[1];

/** Stores that each break one promise, and keep all others. */

export class ForgetsCorrelation extends LossyInMemoryEventStore {
  protected override toCommit(...stored: Parameters<LossyInMemoryEventStore['toCommit']>): Commit {
    const commit = super.toCommit(...stored);
    const { correlationId: _forgotten, ...metadata } = commit.metadata;
    return { ...commit, metadata };
  }
}

export class AcceptsExpectationsAhead extends LossyInMemoryEventStore {
  override async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    const last = this.lastOf(eventSubject(request.ref));
    return super.append({ ...request, expected: Math.min(request.expected, last) });
  }
}

export class ChecksThenWrites extends LossyInMemoryEventStore {
  override async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    if (request.commandId.startsWith('rival') && this.isLast(request)) {
      await nextTick();
      return this.store(request, encodeBody(request));
    }
    return super.append(request);
  }

  private isLast(request: AppendRequest<DomainEvent>): boolean {
    return this.lastOf(eventSubject(request.ref)) === request.expected;
  }
}

export class CallsRepeatsNew extends LossyInMemoryEventStore {
  protected override resolveRepeat<E extends DomainEvent>(
    ...given: [AppendRequest<E>, CommitBody, Revision]
  ): Appended {
    return { ...super.resolveRepeat(...given), repeated: false };
  }
}

export class ForgetsCommandIds extends LossyInMemoryEventStore {
  protected override successorOf(): undefined {
    return undefined;
  }
}

export class WritesAgainAfterSilence extends LossyInMemoryEventStore {
  protected override async lost(
    request: AppendRequest<DomainEvent>,
    { revision }: Appended,
  ): Promise<Appended> {
    const commandId = `${request.commandId}-again`;
    return this.append({ ...request, commandId, expected: revision });
  }
}

export class ComparesCommandIdsOnly extends LossyInMemoryEventStore {
  protected override resolveRepeat<E extends DomainEvent>(
    request: AppendRequest<E>,
    body: CommitBody,
    revision: Revision,
  ): Appended {
    const stored = this.log[revision - 1]!;
    if (stored.request.commandId !== request.commandId)
      return super.resolveRepeat(request, body, revision);
    return { revision, bodyHash: stored.body.hash, repeated: true };
  }
}

export class HasNoSizeBound extends LossyInMemoryEventStore {
  protected override encode<E extends DomainEvent>(request: AppendRequest<E>): CommitBody {
    try {
      return super.encode(request);
    } catch (error) {
      if (!(error instanceof CommitTooLarge)) throw error;
      const bytes = new TextEncoder().encode(JSON.stringify(request.events));
      return { bytes, hash: hashOf(bytes), carriesSnapshot: false };
    }
  }
}

export class RepairsReferences extends LossyInMemoryEventStore {
  override async append<E extends DomainEvent>(request: AppendRequest<E>): Promise<Appended> {
    return super.append({ ...request, ref: repaired(request.ref) });
  }

  override async read(ref: AggregateRef, options: ReadOptions): Promise<readonly Commit[]> {
    return super.read(repaired(ref), options);
  }
}

const repaired = (ref: AggregateRef): AggregateRef => {
  const token = (text: string): string => (isToken(text) ? text : 'repaired');
  return {
    aggregate: token(ref.aggregate),
    workspace: token(ref.workspace),
    id: token(ref.id),
  };
};

export class TakesThePreviousOfAll extends LossyInMemoryEventStore {
  protected override toCommit(...stored: Parameters<LossyInMemoryEventStore['toCommit']>): Commit {
    const commit = super.toCommit(...stored);
    return { ...commit, previous: commit.revision - 1 };
  }
}

export class IncludesTheOneBefore extends LossyInMemoryEventStore {
  override async read(ref: AggregateRef, options: ReadOptions): Promise<readonly Commit[]> {
    const commits = await super.read(ref, options);
    const before = options.after ? await this.at(options.after) : undefined;
    return before ? [before, ...commits] : commits;
  }
}

export class IgnoresSnapshots extends LossyInMemoryEventStore {
  override async read(ref: AggregateRef, options: ReadOptions): Promise<readonly Commit[]> {
    return super.read(ref, { ...options, ignoreSnapshots: true });
  }
}

export class AlwaysStartsAtSnapshots extends LossyInMemoryEventStore {
  override async read(ref: AggregateRef, options: ReadOptions): Promise<readonly Commit[]> {
    return super.read(ref, { ...options, ignoreSnapshots: false });
  }
}

export class FindsTheNearest extends LossyInMemoryEventStore {
  override async at(revision: Revision): Promise<Commit | undefined> {
    return super.at(Math.min(revision, this.length));
  }
}

export class EndsTooEarly extends LossyInMemoryEventStore {
  override async end(): Promise<Revision> {
    return Math.max(0, this.length - 1);
  }
}

export class StaysInItsFirstEpoch extends LossyInMemoryEventStore {
  override async epoch(): Promise<number> {
    return 1;
  }
}
