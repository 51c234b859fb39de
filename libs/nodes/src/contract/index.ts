import type { Incarnation, JournalId } from '#kernel';

/** A journal that a node has ever joined with. After a restore each of them must answer, or count as lost. */
export interface KnownJournal {
  readonly journalId: JournalId;
  readonly replacedBy: JournalId | null;
}

/** What a node writes into its lease at each renewal. Not an event: liveness is judged, never recorded. */
export interface LeaseBody {
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
  /** True until every open journal entry is reported after a start. */
  readonly recovering: boolean;
  /** Open generations, counted and hashed ({@link hashOfOpen}): a mismatch with what the projection shows is a reason to ask. */
  readonly openCount: number;
  readonly openHash: string;
  /** Running programs, and the bound on them. */
  readonly running: number;
  readonly maxRuns: number;
  /** Frames that wait for a free place. */
  readonly waiting: number;
}

/** How a node names the set of its open generations: sorted `<run>/<generation>` lines. */
export const openSetText = (
  open: readonly { readonly runId: string; readonly generation: number }[],
): string =>
  open
    .map(({ runId, generation }) => `${runId}/${String(generation)}`)
    .sort()
    .join('\n');
