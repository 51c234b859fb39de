import type { Commit } from '#event-store';
import type { Sql } from '../sql.js';
import type { Projection } from './projection.js';
import type { ProjectedRow, RowTable } from './row-table.js';

/** How commits become rows of one table. Both functions are pure and total. */
export interface RowProjector<Row extends ProjectedRow> {
  readonly name: string;
  readonly aggregates: readonly string[];
  /** The keys of the rows that a commit may change. */
  keysOf(commit: Commit): readonly Partial<Row>[];
  /** The row after a commit that it does not contain yet; the same object when nothing changes. */
  project(row: Row | undefined, commit: Commit, key: Partial<Row>): Row | undefined;
}

/** Follows one table: loads the rows that a batch touches in one query, projects in memory, writes in one statement. */
export class TableProjection<Row extends ProjectedRow> implements Projection {
  readonly name: string;
  readonly aggregates: readonly string[];

  constructor(
    private readonly projector: RowProjector<Row>,
    private readonly table: RowTable<Row>,
  ) {
    this.name = projector.name;
    this.aggregates = projector.aggregates;
  }

  async write(commits: readonly Commit[], sql: Sql): Promise<number> {
    const touched = commits.flatMap((commit) =>
      this.projector.keysOf(commit).map((key) => ({ commit, key, id: this.table.keyOf(key) })),
    );
    const keys = new Map(touched.map(({ id, key }) => [id, key]));
    const stored = await this.table.load(sql, [...keys.values()]);
    const rows = new Map(stored.map((row) => [this.table.keyOf(row), row]));
    const changed = new Map<string, Row>();
    for (const { commit, key, id } of touched) {
      const row = rows.get(id);
      if (row !== undefined && row.sequence >= commit.revision) continue; // It contains this commit already.
      const next = this.projector.project(row, commit, key);
      if (next === undefined || next === row) continue;
      rows.set(id, next);
      changed.set(id, next);
    }
    await this.table.upsert(sql, [...changed.values()]);
    return changed.size;
  }

  async clear(sql: Sql): Promise<void> {
    await this.table.clear(sql);
  }
}
