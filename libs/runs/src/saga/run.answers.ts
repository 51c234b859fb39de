import type { Incarnation, JournalId } from '#kernel';
import type { ExistingRun } from '../domain/index.js';

/** What one journal said when it was asked, after a restore, to close what it holds of older epochs. */
export interface JournalAnswer {
  readonly journalId: JournalId;
  /** The node has joined with another one since: nobody may ever come back with it. */
  readonly replaced: boolean;
  /** `closed`: nothing of the run was ever started, and nothing older will be. `none`: no answer in time. */
  readonly answer:
    'closed' | 'none' | { readonly generation: number; readonly startedBy: Incarnation };
}

export type JournalsVerdict =
  /** The stream knows of every start: it may be dispatched, or what was dispatched is taken back. */
  | { readonly kind: 'nothing-forgotten' }
  /** A start that the stream forgot, or a journal that can't be asked any more. */
  | {
      readonly kind: 'unknown';
      readonly generation: number;
      readonly journalId: JournalId;
      readonly incarnation: Incarnation | null;
      readonly because: 'started' | 'journal-lost';
    }
  /** A journal that may come back has not answered. */
  | { readonly kind: 'wait' };

/**
 * What follows for a run of an older epoch from the answers of all journals that the node had joined with.
 *
 * The newest forgotten start counts: an older one can only have ended before it.
 */
export const judgeJournals = (
  run: ExistingRun,
  answers: readonly JournalAnswer[],
): JournalsVerdict => {
  let newest: Extract<JournalsVerdict, { kind: 'unknown' }> | null = null;
  for (const { journalId, answer } of answers) {
    if (answer === 'closed' || answer === 'none') continue;
    const { generation, startedBy: incarnation } = answer;
    if (run.ended.includes(generation)) continue; // The stream knows of it, and how it ended.
    if (newest === null || generation > newest.generation)
      newest = { kind: 'unknown', generation, journalId, incarnation, because: 'started' };
  }
  if (newest !== null) return newest;
  const silent = answers.filter(({ answer }) => answer === 'none');
  const lost = silent.find(({ replaced }) => replaced);
  if (lost === undefined || silent.some(({ replaced }) => !replaced))
    return silent.length > 0 ? { kind: 'wait' } : { kind: 'nothing-forgotten' };
  // It may hold what was dispatched to it, or the generation that came next; the others have said that they don't.
  const generation = run.status === 'dispatched' ? run.generation : run.generation + 1;
  const { journalId } = lost;
  return { kind: 'unknown', generation, journalId, incarnation: null, because: 'journal-lost' };
};
