import { LRUCache } from 'lru-cache';
import type { CommandId } from '#kernel';
import { addCommand, type Cached } from './fold-commits.js';
import type { Loaded } from './port/aggregate-store.js';
import { NO_COMMIT, type Revision } from './port/event-store.js';
import { eventSubject } from './ref.js';

/** What is kept at most. */
export interface CacheBounds {
  readonly aggregates?: number;
  /** Of JSON. */
  readonly characters?: number;
}

/**
 * More aggregates than a stack has under way; and twice what so many of the usual 4 KiB take: a few have prompts of hundreds
 * of KiB.
 */
const BOUNDS = { aggregates: 2_000, characters: 16_000_000 };
/** What a command id and its revision take. */
const COMMAND_CHARACTERS = 100;

/** Aggregates as this process has folded them, those that were used last. */
export class AggregateCache {
  private readonly kept: LRUCache<string, Cached>;

  constructor({ aggregates, characters }: CacheBounds = {}) {
    this.kept = new LRUCache({
      max: aggregates ?? BOUNDS.aggregates,
      maxSize: characters ?? BOUNDS.characters,
      sizeCalculation: charactersOf,
    });
  }

  get(subject: string): Cached | undefined {
    return this.kept.get(subject);
  }

  /** Concurrent calls may finish in any order: the newer state stays. */
  remember(cached: Cached): void {
    const subject = eventSubject(cached.loaded.ref);
    const present = this.kept.get(subject);
    if (present !== undefined && present.loaded.revision > cached.loaded.revision) return;
    this.kept.set(subject, cached);
  }

  /** After this process's own commit on `expected`. */
  rememberAppended(after: Loaded<unknown>, expected: Revision, commandId: CommandId): void {
    const before = this.kept.get(eventSubject(after.ref));
    if (before === undefined && expected !== NO_COMMIT) return; // Its older command ids would be missing.
    const commands = before?.commands ?? new Map<CommandId, Revision>();
    addCommand(commands, commandId, after.revision);
    this.remember({ loaded: after, commands });
  }

  delete(subject: string): void {
    this.kept.delete(subject);
  }

  clear(): void {
    this.kept.clear();
  }
}

/** What a folded aggregate takes, about. One that is larger than the whole cache is not kept. */
const charactersOf = ({ loaded, commands }: Cached): number =>
  JSON.stringify(loaded.state).length + commands.size * COMMAND_CHARACTERS;
