import type { Commit } from '#event-store';
import type { Sql, TransactionSql } from '../sql.js';
import { BUILDING_SCHEMA } from './building-schema.js';
import { copyChunks } from './copy-text.js';
import { KeySketch } from './key-sketch.js';
import type { TableOfBuild } from './projection.js';
import { foldRows, touchedBy, type RowProjector } from './row-fold.js';
import type { ProjectedRow, RowTable } from './row-table.js';

/**
 * One table that is made from nothing, beside the live one: rows are folded in memory, and written many at once.
 *
 * What was written is forgotten, and loaded when another commit touches it: memory holds what changed since.
 */
export class TableBuild<Row extends ProjectedRow> implements TableOfBuild {
  readonly table: string;
  readonly isNumbered: boolean;
  private readonly building: RowTable<Row>;
  /** The touched rows that there are, by their keys. */
  private readonly rows = new Map<string, Row>();
  private readonly changed = new Set<string>();
  /** Of {@link rows}, those that the table holds an older form of. */
  private readonly replaced = new Set<string>();
  /** The keys of the table's rows: most commits begin a row, and need not ask for it. */
  private readonly stored = new KeySketch();
  private length = 0;

  constructor(
    private readonly projector: Pick<RowProjector<Row>, 'keysOf' | 'project'>,
    live: RowTable<Row>,
  ) {
    this.table = live.tableName;
    this.isNumbered = live.isNumbered;
    this.building = live.in(BUILDING_SCHEMA);
  }

  get held(): { readonly rows: number; readonly characters: number } {
    return { rows: this.rows.size, characters: this.length };
  }

  /** The table is not empty: it is gone on with. */
  goOn(): void {
    this.stored.addAll();
  }

  async fold(commits: readonly Commit[], sql: Sql): Promise<void> {
    const touched = touchedBy(commits, this.projector, this.building);
    const missing = new Map(
      touched
        .filter(({ id }) => !this.rows.has(id) && this.stored.mayHave(id))
        .map(({ id, key }) => [id, key]),
    );
    for (const row of await this.building.load(sql, [...missing.values()])) {
      const id = this.building.keyOf(row);
      this.rows.set(id, row);
      this.replaced.add(id);
      this.length += this.building.lengthOf(row);
    }
    for (const [id, row] of foldRows(touched, this.projector, this.rows)) {
      this.changed.add(id);
      this.length += this.building.lengthOf(row); // Without what it replaces: rather too much than too little.
    }
  }

  /** Writes what changed, within the caller's transaction; it is still held until {@link forget}. */
  async flush(sql: TransactionSql, lastNumber: number): Promise<number> {
    const rows = [...this.changed].flatMap((id) => this.rows.get(id) ?? []);
    if (rows.length === 0) return 0;
    const replaced = [...this.changed].filter((id) => this.replaced.has(id));
    await this.building.delete(
      sql,
      replaced.flatMap((id) => this.rows.get(id) ?? []),
    );
    const { building } = this;
    const lines = function* (): Generator<string> {
      let number = lastNumber;
      for (const row of rows) yield building.copyLine(row, (number += 1));
    };
    return sql.copy(building.copyTarget, copyChunks(lines()));
  }

  /** What was written is committed. */
  forget(): void {
    for (const id of this.changed) this.stored.add(id);
    for (const held of [this.rows, this.changed, this.replaced]) held.clear();
    this.length = 0;
  }
}
