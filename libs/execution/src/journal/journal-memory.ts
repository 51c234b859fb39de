import { bug, type Instant } from '#kernel';
import type { StartedKeys } from './started-keys.js';

/** What a journal's records mean. Pure. */
export interface JournalRules<Record, Entry> {
  /** Names the entry that a record belongs to. */
  keyOf(record: Record): string;
  /** An entry before its first record. `everStarted`: it had been started, and its records were dropped since. */
  initial(key: string, everStarted: boolean): Entry;
  evolve(entry: Entry, record: Record): Entry;
  /** Whether the key must be known for ever. */
  wasStarted(entry: Entry): boolean;
  /** Whether nothing more is to be done or told about it, so that its records may be dropped after a while. */
  isSettled(entry: Entry): boolean;
  /** What a settled entry takes in memory, about; bytes. */
  bytesOf(entry: Entry): number;
}

/** Which settled entries are kept. */
export interface Retention {
  /** How long they are kept for questions about them, milliseconds. */
  readonly keepSettledMs: number;
  /** How much they take at most, bytes: those with the newest records stay, older ones are dropped before their time. */
  readonly keepSettledBytes: number;
}

/** A record as it is kept: numbered over the life of the journal, and dated. */
export interface StoredRecord<Record> {
  readonly sequence: number;
  readonly at: Instant;
  readonly record: Record;
}

/** An entry with its last record's number and date. */
export interface Kept<Entry> {
  readonly entry: Entry;
  /** 0 when it has no record. */
  readonly sequence: number;
  readonly at: Instant;
}

/**
 * The folded journal, twice: as the disk has it, and as it will be when the disk has what waits. Checks decide on the second,
 * so that two of them can't both pass; everybody else sees only the first.
 */
export class JournalMemory<Record, Entry> {
  readonly #durable = new Map<string, Kept<Entry>>();
  readonly #pending = new Map<string, Kept<Entry>>();
  #lastSequence = 0;
  #pendingSequence = 0;

  constructor(
    private readonly rules: JournalRules<Record, Entry>,
    private readonly started: StartedKeys,
  ) {}

  /** Of the last durable record. */
  get sequence(): number {
    return this.#lastSequence;
  }

  /** Before the first record is restored: numbers up to this one have been given. */
  numberFrom(last: number): void {
    this.#lastSequence = this.#pendingSequence = last;
  }

  get size(): number {
    return this.#durable.size;
  }

  /** As the disk has it. */
  durable(key: string): Kept<Entry> {
    return this.#durable.get(key) ?? this.#none(key);
  }

  /** As the next record will find it. */
  latest(key: string): Kept<Entry> {
    return this.#pending.get(key) ?? this.durable(key);
  }

  *entries(): IterableIterator<readonly [key: string, entry: Entry]> {
    for (const [key, { entry }] of this.#durable) yield [key, entry];
  }

  everStarted(key: string): boolean {
    return this.started.has(key) || this.rules.wasStarted(this.durable(key).entry);
  }

  /** A record that was read from the disk. */
  restore({ sequence, at, record }: StoredRecord<Record>): void {
    const key = this.rules.keyOf(record);
    const entry = this.rules.evolve(this.durable(key).entry, record);
    this.#durable.set(key, { entry, sequence, at });
    this.numberFrom(Math.max(this.#lastSequence, sequence)); // A rewritten file starts above what it kept.
  }

  /** Numbers records and folds them ahead of the disk. Follow it with {@link commit} or {@link rollback}. */
  stage(
    key: string,
    records: readonly Record[],
    at: Instant,
  ): { readonly kept: Kept<Entry>; readonly stored: readonly StoredRecord<Record>[] } {
    if (records.some((record) => this.rules.keyOf(record) !== key))
      throw bug(`a record of another entry was decided for ${key}`);
    const first = this.#pendingSequence + 1;
    const stored = records.map((record, index) => ({ sequence: first + index, at, record }));
    let kept = this.latest(key);
    for (const { sequence, record } of stored)
      kept = { entry: this.rules.evolve(kept.entry, record), sequence, at };
    if (stored.length > 0) {
      this.#pending.set(key, kept);
      this.#pendingSequence += stored.length;
    }
    return { kept, stored };
  }

  /** The disk has it now. Called in the order of staging. */
  commit(key: string, kept: Kept<Entry>): void {
    this.#durable.set(key, kept);
    this.#lastSequence = Math.max(this.#lastSequence, kept.sequence);
    if (this.#pending.get(key) === kept) this.#pending.delete(key);
  }

  /** Nothing of what waits will be on the disk. */
  rollback(): void {
    this.#pending.clear();
    this.#pendingSequence = this.#lastSequence;
  }

  /** Keys of entries that are settled, and were for longer than they are kept, or are more than are kept: the newest first. */
  droppable(now: Instant, { keepSettledMs, keepSettledBytes }: Retention): readonly string[] {
    let bytes = 0;
    return [...this.#durable]
      .filter(([key, { entry }]) => !this.#pending.has(key) && this.rules.isSettled(entry))
      .sort(([, one], [, other]) => other.sequence - one.sequence)
      .filter(([, { entry, at }]) => {
        bytes += this.rules.bytesOf(entry);
        return bytes > keepSettledBytes || at + keepSettledMs < now;
      })
      .map(([key]) => key);
  }

  /** Forgets entries, except that they were started. */
  drop(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.rules.wasStarted(this.durable(key).entry)) this.started.add(key);
      this.#durable.delete(key);
    }
  }

  #none(key: string): Kept<Entry> {
    return { entry: this.rules.initial(key, this.started.has(key)), sequence: 0, at: 0 };
  }
}
