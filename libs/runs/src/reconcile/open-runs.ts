import type { Instant } from '#kernel';
import type { OpenRun } from './run.plan.js';

/** The rows that a pass looks at: what is due, and what is claimed and may be in doubt, in pages until exhausted. */
export interface OpenRuns {
  /**
   * @param after the last run of the page before; null for the first page.
   * @returns at most `limit` rows in a fixed order.
   */
  page(options: {
    readonly now: Instant;
    readonly after: Pick<OpenRun, 'workspace' | 'runId'> | null;
    readonly limit: number;
  }): Promise<readonly OpenRun[]>;
  /** Claimed generations by node, as the read model shows them, with the stream position that it has reached. */
  claimed(): Promise<{ readonly rows: readonly OpenRun[]; readonly position: number }>;
}
export const OPEN_RUNS = Symbol('OpenRuns');
