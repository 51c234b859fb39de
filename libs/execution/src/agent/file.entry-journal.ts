import type { Clock, JournalId, RunId } from '#kernel';
import {
  evolveEntries,
  noEntries,
  type Entry,
  type JournalEvent,
  type RunEntries,
} from '../domain/index.js';
import {
  openJournal,
  type FileJournal,
  type JournalRules,
  type Opening,
} from '../journal/index.js';
import type { EntryJournal } from './ports.js';

/** What the node's journal file means: one folded state for each run. */
export const ENTRY_RULES: JournalRules<JournalEvent, RunEntries> = {
  keyOf: (record) => record.data.runId,
  initial: (runId, everStarted) => ({ ...noEntries(runId), everStarted }),
  evolve: evolveEntries,
  wasStarted: (run) => run.everStarted,
  // A raised epoch must be remembered for ever: a late frame of an older one may come at any time.
  isSettled: (run) => run.epochFloor === 0 && run.entries.every((entry) => entry.reported),
  bytesOf: (run) =>
    run.entries.reduce((sum, { frame }) => sum + ENTRY_BYTES + 2 * (frame?.prompt?.length ?? 0), 0),
};

/** How long reported entries are kept for questions about them, ms. Late questions are answered `never-seen`, safely. */
const KEEP_SETTLED_MS = 24 * 3_600_000;
/** How much memory they may take, bytes; 8,000 runs with a short prompt. */
const KEEP_SETTLED_BYTES = 16_000_000;
/** What an entry takes beside its prompt, bytes. Source: a heap of 21,000 of them. */
const ENTRY_BYTES = 2_000;
/** How many droppable runs make a rewrite worth it. A run's records are about 1 KiB and its prompt. */
const COMPACT_AT = 1_000;

/** The node's journal on its disk. */
export class FileEntryJournal implements EntryJournal {
  private constructor(private readonly file: FileJournal<JournalEvent, RunEntries>) {}

  /**
   * @param folder absolute; one journal, one agent at a time.
   * @throws JournalLocked another agent is alive there.
   * @throws JournalCorrupt more than the torn end of a last write is missing.
   */
  static async open(folder: string, clock: Clock): Promise<FileEntryJournal> {
    const settings = { folder, rules: ENTRY_RULES, clock };
    return new FileEntryJournal(
      await openJournal({
        ...settings,
        keepSettledMs: KEEP_SETTLED_MS,
        keepSettledBytes: KEEP_SETTLED_BYTES,
        compactAtDroppable: COMPACT_AT,
      }),
    );
  }

  get journalId(): JournalId {
    return this.file.journalId;
  }

  get opening(): Opening {
    return this.file.opening;
  }

  sequenceOf(runId: RunId): number {
    return this.file.sequenceOf(runId);
  }

  run(runId: RunId): RunEntries {
    return this.file.entry(runId);
  }

  unreported(): readonly Entry[] {
    return [...this.file.entries()].flatMap(([, run]) =>
      run.entries.filter((entry) => !entry.reported),
    );
  }

  async transition<Result>(
    runId: RunId,
    decide: (run: RunEntries) => {
      readonly records: readonly JournalEvent[];
      readonly result: Result;
    },
  ): Promise<Result> {
    const { answer } = await this.file.transition(runId, (run) => {
      const { records, result } = decide(run);
      return { records, answer: result };
    });
    return answer;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
