import type { Commit } from '#event-store';
import type { Sql } from '../sql.js';
import type { Projection } from './projection.js';
import { TableBuild } from './table-build.js';
import { foldRows, touchedBy, type RowProjector } from './row-fold.js';
import type { ProjectedRow, RowTable } from './row-table.js';

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
    const touched = touchedBy(commits, this.projector, this.table);
    const keys = new Map(touched.map(({ id, key }) => [id, key]));
    const stored = await this.table.load(sql, [...keys.values()]);
    const rows = new Map(stored.map((row) => [this.table.keyOf(row), row]));
    const changed = foldRows(touched, this.projector, rows);
    await this.table.upsert(sql, [...changed.values()]);
    return changed.size;
  }

  async clear(sql: Sql): Promise<void> {
    await this.table.clear(sql);
  }

  builds(): readonly [TableBuild<Row>] {
    return [new TableBuild(this.projector, this.table)];
  }
}
