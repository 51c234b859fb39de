import { bug, type Clock, type JournalId } from '#kernel';
import { JournalOverloaded } from './errors.js';
import type { FolderLock } from './folder-lock.js';
import type { GroupWriter } from './group-writer.js';
import { encodeRecord } from './journal-file.js';
import type { JournalFile, JournalFs } from './journal-fs.js';
import type { JournalMemory, JournalRules, Retention } from './journal-memory.js';

export interface JournalSettings<Record, Entry> extends Retention {
  /** Absolute; made if it is not there. Belongs to one journal. */
  readonly folder: string;
  readonly rules: JournalRules<Record, Entry>;
  readonly clock: Clock;
  /** How many entries must be ready to be dropped before the file is rewritten at the next start. At least 1. */
  readonly compactAtDroppable: number;
  readonly fs?: JournalFs;
}

/** What a check answers: the records to write, and what its caller learns once they are durable. */
export interface Decision<Record, Answer> {
  readonly records: readonly Record[];
  readonly answer: Answer;
}

export interface Transition<Entry, Answer> {
  readonly answer: Answer;
  /** As the records left it. */
  readonly entry: Entry;
  /** Number of the entry's last record; 0 when it has none. Grows over the life of the journal and all of its entries. */
  readonly sequence: number;
}

/** What opening found. Worth a line in the log. */
export interface Opening {
  readonly created: boolean;
  readonly entries: number;
  /** Bytes of a write that a crash cut off; nobody had been told that it was made. */
  readonly tornBytes: number;
  /** Entries that were settled long enough. */
  readonly dropped: number;
}

/** Decisions that wait for the disk, at most. Source: 16 concurrent runs make about 6 each; 10,000 means that the disk stands still. */
const WAITING_MAX = 10_000;

/** What an open journal consists of. */
export interface JournalParts<Record, Entry> {
  readonly lock: FolderLock;
  readonly file: JournalFile;
  readonly writer: GroupWriter;
  readonly memory: JournalMemory<Record, Entry>;
}

/**
 * A node's memory: an append-only file with one writer. What it acknowledged survives SIGKILL at any instruction, and power
 * loss where the disk keeps what it synced.
 */
export class FileJournal<Record, Entry> {
  #closed = false;
  #sinceDrop = 0;

  /** Use {@link openJournal}. */
  constructor(
    /** Made with the journal and never changed: a new one means that what the old one knew is lost. */
    readonly journalId: JournalId,
    readonly opening: Opening,
    private readonly parts: JournalParts<Record, Entry>,
    private readonly settings: JournalSettings<Record, Entry>,
  ) {}

  /** An entry as the disk has it; as before its first record when there is none. */
  entry(key: string): Entry {
    return this.parts.memory.durable(key).entry;
  }

  /** Number of the entry's last durable record; 0 when it has none. */
  sequenceOf(key: string): number {
    return this.parts.memory.durable(key).sequence;
  }

  /** All entries that the disk has, except those dropped since they were settled. */
  entries(): IterableIterator<readonly [key: string, entry: Entry]> {
    return this.parts.memory.entries();
  }

  /** Whether this journal has ever started it, however long ago. */
  everStarted(key: string): boolean {
    return this.parts.memory.everStarted(key);
  }

  /**
   * Checks and writes in one step: no other transition's records come between what `check` sees and what it decides.
   *
   * Settles when the records, and all that the check may have seen, are on the disk. Also an answer without records waits for
   * that, because it may rest on a record that is not there yet.
   *
   * @param check pure and synchronous; what it throws is thrown here, and nothing is written.
   * @throws JournalWriteFailed nothing is acknowledged; with `outcome: 'unknown'` the journal takes no more: exit and reopen it.
   * @throws JournalOverloaded before the check.
   */
  async transition<Answer>(
    key: string,
    check: (entry: Entry) => Decision<Record, Answer>,
  ): Promise<Transition<Entry, Answer>> {
    const { memory, writer } = this.parts;
    if (this.#closed) throw bug('the journal is closed');
    if (writer.waiting >= WAITING_MAX) throw new JournalOverloaded(writer.waiting);
    const { records, answer } = check(memory.latest(key).entry);
    const { kept, stored } = memory.stage(key, records, this.settings.clock.now());
    await writer.append(Buffer.concat(stored.map((record) => encodeRecord(record))), () => {
      if (stored.length > 0) memory.commit(key, kept);
    });
    this.#forgetNowAndThen(stored.length);
    return { answer, entry: kept.entry, sequence: kept.sequence };
  }

  /** One record without a condition. */
  async append(record: Record): Promise<Transition<Entry, void>> {
    return this.transition(this.settings.rules.keyOf(record), () => ({
      records: [record],
      answer: undefined,
    }));
  }

  /** Waits for what is being written, and lets the folder go. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.parts.writer.idle();
    await this.parts.file.close();
    await this.parts.lock.release();
  }

  /** Memory is bound like the file: an agent that runs for a year keeps no more than one that was just started. */
  #forgetNowAndThen(records: number): void {
    const { memory } = this.parts;
    this.#sinceDrop += records;
    // A look at all entries is paid for by as many records.
    if (this.#sinceDrop < Math.max(this.settings.compactAtDroppable, memory.size)) return;
    this.#sinceDrop = 0;
    memory.drop(memory.droppable(this.settings.clock.now(), this.settings));
  }
}
