import type { EntityMetadata } from 'typeorm';
import type { Sql } from '../sql.js';
import { copyText } from './copy-text.js';
import { fitting, toStorableJson, type ColumnKind } from './row-values.js';

/** Every row of a read model says how far it has come. */
export interface ProjectedRow {
  /** The stream sequence of the newest commit that changed it. */
  readonly sequence: number;
}

/** A statement's parameter is cut at this many characters: 500 prompts of 256 KiB must not be one text of 128 MiB. */
const PARAMETER_LENGTH_MAX = 4 * 1024 * 1024;

interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
  readonly kind: ColumnKind;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  timestamptz: 'time',
  jsonb: 'json',
};

/** Holds the number of a row's newest change, which the database gives; see {@link ChangeCounterEntity}. */
const CHANGE = 'change';

/**
 * A table of rows as its TypeORM entity describes it, read and written many rows at a time: one statement and one
 * parameter, whatever their number.
 */
export class RowTable<Row extends ProjectedRow> {
  private readonly columns: readonly Column[];
  private readonly keys: readonly Column[];
  /** Those whose values can be of any length. */
  private readonly lengthy: readonly Column[];
  /** Its changes are numbered, so that others can read on from one. */
  readonly isNumbered: boolean;
  /** As statements name it. */
  private readonly name: string;
  private readonly loadText: string;
  private readonly deleteText: string;
  private readonly upsertText: string;

  /** @param schema where it is, when it is not found without. */
  constructor(
    private readonly metadata: EntityMetadata,
    schema?: string,
  ) {
    const { tableName } = metadata;
    this.name = schema === undefined ? tableName : `${schema}.${tableName}`;
    const stored = metadata.columns.filter(({ databaseName }) => databaseName !== CHANGE);
    this.columns = stored.map((column) => {
      const kind = KINDS[column.type as string];
      if (kind === undefined)
        throw new Error(`bug: ${metadata.tableName}.${column.databaseName} has no known type`);
      const { propertyName: property, databaseName: name } = column;
      return { property, name, type: column.type as string, kind };
    });
    const primary = metadata.primaryColumns.map(({ databaseName }) => databaseName);
    this.keys = this.columns.filter(({ name }) => primary.includes(name));
    this.lengthy = this.columns.filter(({ kind }) => kind === 'text' || kind === 'json');
    this.isNumbered = stored.length < metadata.columns.length;
    this.loadText = this.loadStatement();
    this.deleteText = this.deleteStatement();
    this.upsertText = this.upsertStatement();
  }

  /** The same table in another schema. */
  in(schema: string): RowTable<Row> {
    return new RowTable(this.metadata, schema);
  }

  get tableName(): string {
    return this.metadata.tableName;
  }

  /** Two rows with the same key are the same row. */
  keyOf(key: Partial<Row>): string {
    return JSON.stringify(this.keys.map(({ property }) => key[property as keyof Row]));
  }

  /** Those of the named rows that are there. */
  async load(sql: Sql, keys: readonly Partial<Row>[]): Promise<readonly Row[]> {
    if (keys.length === 0) return [];
    const found = await sql.query<{ row: Record<string, unknown> }>(this.loadText, [
      this.named(keys),
    ]);
    return found.map(({ row }) => this.fromRecord(row));
  }

  async delete(sql: Sql, keys: readonly Partial<Row>[]): Promise<void> {
    if (keys.length > 0) await sql.execute(this.deleteText, [this.named(keys)]);
  }

  /** What COPY fills. */
  get copyTarget(): string {
    const names = this.columns.map(({ name }) => name);
    return `${this.name} (${[...names, ...(this.isNumbered ? [CHANGE] : [])].join(', ')})`;
  }

  /** @param change the number of its change; of no account where changes are not numbered. */
  copyLine(row: Row, change: number): string {
    // Joined, since a text that grows piece by piece is a tree of them until it is sent: five times slower for 45 columns.
    const texts = this.columns.map(({ property, kind }) =>
      copyText(kind, row[property as keyof Row]),
    );
    if (this.isNumbered) texts.push(String(change));
    return `${texts.join('\t')}\n`;
  }

  /** About how many characters a row has that can be many. */
  lengthOf(row: Row): number {
    let length = 0;
    for (const { property, kind } of this.lengthy) {
      const value: unknown = row[property as keyof Row];
      if (typeof value === 'string') length += value.length;
      else if (kind === 'json') length += JSON.stringify(value)?.length ?? 0;
    }
    return length;
  }

  /** Writes rows whole; a stored row that has come as far or farther stays as it is. */
  async upsert(sql: Sql, rows: readonly Row[]): Promise<void> {
    const records = rows.map((row) => toStorableJson(this.toRecord(row, this.columns)));
    for (const parameter of jsonArrays(records)) await sql.execute(this.upsertText, [parameter]);
  }

  async clear(sql: Sql): Promise<void> {
    await sql.execute(`TRUNCATE ${this.name}`);
  }

  private named(keys: readonly Partial<Row>[]): string {
    return toStorableJson(keys.map((key) => this.toRecord(key, this.keys)));
  }

  private toRecord(row: Partial<Row>, columns: readonly Column[]): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const { property, name, kind } of columns)
      record[name] = fitting(kind, row[property as keyof Row]);
    return record;
  }

  private fromRecord(record: Record<string, unknown>): Row {
    const row: Record<string, unknown> = {};
    for (const { property, name, kind } of this.columns) {
      const value = record[name];
      row[property] = kind === 'time' && typeof value === 'string' ? Date.parse(value) : value;
    }
    return row as unknown as Row;
  }

  private loadStatement(): string {
    const names = this.keys.map(({ name }) => name).join(', ');
    return `SELECT row_to_json(stored) AS row FROM ${this.name} AS stored
      JOIN ${this.wanted()} USING (${names})`;
  }

  private deleteStatement(): string {
    const isSame = this.keys.map(({ name }) => `stored.${name} = wanted.${name}`).join(' AND ');
    return `DELETE FROM ${this.name} AS stored USING ${this.wanted()} WHERE ${isSame}`;
  }

  private wanted(): string {
    const typed = this.keys.map(({ name, type }) => `${name} ${type}`).join(', ');
    return `json_to_recordset($1::json) AS wanted (${typed})`;
  }

  private upsertStatement(): string {
    const table = this.name;
    const names = this.columns.map(({ name }) => name);
    const changes = this.columns
      .filter((column) => !this.keys.includes(column))
      .map(({ name }) => `${name} = excluded.${name}`);
    const rows = `json_populate_recordset(NULL::${table}, $1::json)`;
    const onConflict = (changed: readonly string[]): string =>
      `ON CONFLICT (${this.keys.map(({ name }) => name).join(', ')})
       DO UPDATE SET ${changed.join(', ')} WHERE stored.sequence < excluded.sequence`;
    if (!this.isNumbered)
      return `INSERT INTO ${table} AS stored (${names.join(', ')})
        SELECT ${names.join(', ')} FROM ${rows} ${onConflict(changes)}`;
    return `WITH counter AS (
        UPDATE change_counter SET value = value + json_array_length($1::json) RETURNING value
      )
      INSERT INTO ${table} AS stored (${names.join(', ')}, ${CHANGE})
      SELECT ${names.map((name) => `given.${name}`).join(', ')},
        counter.value - json_array_length($1::json) + given.ordinality
      FROM counter, ${rows} WITH ORDINALITY AS given
      ${onConflict([...changes, `${CHANGE} = excluded.${CHANGE}`])}`;
  }
}

/** JSON arrays of these records, each no longer than needed to stay within the bound. */
const jsonArrays = (records: readonly string[]): readonly string[] => {
  const arrays: string[][] = [];
  let length = Infinity;
  for (const record of records) {
    if (length + record.length > PARAMETER_LENGTH_MAX) {
      arrays.push([]);
      length = 0;
    }
    arrays[arrays.length - 1]?.push(record);
    length += record.length;
  }
  return arrays.map((array) => `[${array.join(',')}]`);
};
