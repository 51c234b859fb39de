import type { Commit } from '#event-store';
import type { ProjectedRow } from './row-table.js';

/** How commits become rows of one table. Both functions are pure and total. */
export interface RowProjector<Row extends ProjectedRow> {
  readonly name: string;
  readonly aggregates: readonly string[];
  /** The keys of the rows that a commit may change. */
  keysOf(commit: Commit): readonly Partial<Row>[];
  /** The row after a commit that it does not contain yet; the same object when nothing changes. */
  project(row: Row | undefined, commit: Commit, key: Partial<Row>): Row | undefined;
}

/** A commit, and a row that it may change. */
export interface Touch<Row> {
  readonly commit: Commit;
  readonly key: Partial<Row>;
  /** The key as one text. */
  readonly id: string;
}

/** Which rows these commits may change, in their order. */
export const touchedBy = <Row extends ProjectedRow>(
  commits: readonly Commit[],
  projector: Pick<RowProjector<Row>, 'keysOf'>,
  table: { keyOf(key: Partial<Row>): string },
): readonly Touch<Row>[] =>
  commits.flatMap((commit) =>
    projector.keysOf(commit).map((key) => ({ commit, key, id: table.keyOf(key) })),
  );

/**
 * Projects commits over rows, which it changes in place. The one place where it is decided what commits make of rows,
 * whether these are followed or built.
 *
 * @param rows by their keys: all of the touched ones that there are.
 * @returns those that are another now.
 */
export const foldRows = <Row extends ProjectedRow>(
  touched: readonly Touch<Row>[],
  projector: Pick<RowProjector<Row>, 'project'>,
  rows: Map<string, Row>,
): Map<string, Row> => {
  const changed = new Map<string, Row>();
  for (const { commit, key, id } of touched) {
    const row = rows.get(id);
    if (row !== undefined && row.sequence >= commit.revision) continue; // It contains this commit already.
    const next = projector.project(row, commit, key);
    if (next === undefined || next === row) continue;
    rows.set(id, next);
    changed.set(id, next);
  }
  return changed;
};
