import { bug, type Clock, type Incarnation, type Instant, type RunId } from '#kernel';
import {
  entryOf,
  type Entry,
  type EntryKey,
  type JournalEvent,
  type RunEntries,
} from '../domain/index.js';
import type { EndOfWork, EntryJournal, WaitingProgram } from './ports.js';

/** The journal, as far as it is about one entry. What it writes is durable when its promise settles. */
export class EntryRecords {
  readonly runId: RunId;
  readonly generation: number;

  constructor(
    { runId, generation }: EntryKey,
    private readonly journal: EntryJournal,
    private readonly clock: Clock,
  ) {
    this.runId = runId;
    this.generation = generation;
  }

  get key(): string {
    return keyOf(this);
  }

  get run(): RunEntries {
    return this.journal.run(this.runId);
  }

  get entry(): Entry {
    const entry = entryOf(this.run, this.generation);
    if (entry === undefined) throw bug(`no journal entry ${this.key}`);
    return entry;
  }

  /** Number of the last durable record. */
  get sequence(): number {
    return this.journal.sequenceOf(this.runId);
  }

  shimReady({ shim, child, workDirectory, cwd }: WaitingProgram): Promise<void> {
    const data = { ...this.#base(), shim, child, workDirectory, cwd };
    return this.#write({ type: 'ShimReady', data });
  }

  /**
   * Checked again in the same step as it is written: nothing of this run may have been started in between.
   *
   * @returns whether it was written.
   */
  decideGo(isDue: (entry: Entry, run: RunEntries) => boolean): Promise<boolean> {
    return this.journal.transition(this.runId, (run) => {
      const entry = entryOf(run, this.generation);
      return entry !== undefined && isDue(entry, run)
        ? { records: [{ type: 'GoDecided', data: this.#base() }], result: true }
        : { records: [], result: false };
    });
  }

  closeIfUnstarted(reason: string, incarnation: Incarnation): Promise<void> {
    return this.journal.transition(this.runId, (run) => {
      const phase = entryOf(run, this.generation)?.phase;
      const data = { ...this.#base(), reason, incarnation };
      const unstarted = phase === 'taken' || phase === 'shim';
      return { records: unstarted ? [{ type: 'EntryClosed', data }] : [], result: undefined };
    });
  }

  endSeen({ end, output, receipts }: EndOfWork): Promise<void> {
    const data = { ...this.#base(), end, output, receipts };
    return this.#write({ type: 'EndSeen', data });
  }

  reported(): Promise<void> {
    return this.#write({ type: 'EntryReported', data: this.#base() });
  }

  #base(): EntryKey & { readonly at: Instant } {
    return { runId: this.runId, generation: this.generation, at: this.clock.now() };
  }

  #write(record: JournalEvent): Promise<void> {
    return this.journal.transition(this.runId, () => ({ records: [record], result: undefined }));
  }
}

export const keyOf = ({ runId, generation }: EntryKey): string => `${runId}/${String(generation)}`;
