import type { Commit, EventStore } from '#event-store';
import type { Database } from '../database.js';
import type { Sql, TransactionSql } from '../sql.js';
import {
  addPrimaryKey,
  complete,
  hasSameShape,
  lastNumberIn,
  lockLive,
  makeEmpty,
  putInPlace,
  renumber,
} from './building-schema.js';
import { findingOn } from './checkpoint.verdict.js';
import {
  BUILDING_GENERATION,
  LIVE_GENERATION,
  beginCheckpoint,
  checkpointAt,
  findCheckpoint,
  moveCheckpoint,
  promoteCheckpoint,
  removeBuildingCheckpoint,
  type Checkpoint,
} from './checkpoints.js';
import { SteppedDown, type Projection, type TableOfBuild } from './projection.js';

export interface BuildBounds {
  /** Below so many commits behind the end a projection follows: making tables and indexes takes longer than it saves. */
  readonly commitsMin: number;
  /** So many rows of a projection are held before they are written: about 1 KiB each, most of it in few of them. */
  readonly rowsMax: number;
  /** So many characters of them, as far as they are text: rows that are large are fewer. */
  readonly charactersMax: number;
  /** What is held longer is written, ms: so much work is lost at most with its process, and progress can be seen. */
  readonly holdMaxMs: number;
}

/** Source: measured, more rows at once gain nothing, and fewer cost a commit each; see ADR 0027. */
export const BUILD_BOUNDS: BuildBounds = {
  commitsMin: 2_000,
  rowsMax: 50_000,
  charactersMax: 32 * 1024 * 1024,
  holdMaxMs: 2_000,
};

export interface BuildPorts {
  readonly database: Database;
  readonly store: Pick<EventStore, 'end' | 'at'>;
  readonly bounds: BuildBounds;
}

/** One statement over a whole table may take so long, ms: an index over 10 million rows takes minutes. */
const STATEMENT_MAX_MS = 30 * 60_000;
/** And one that waits for what this process sends: one that hangs must not keep others from going on with its build. */
const SENT_MAX_MS = 60_000;
/** The numbers of what is built lie so far beyond the newest one: others take fewer until it is put in place. */
const NUMBERS_AHEAD = 1_000_000_000;
/** Those who put tables in place take turns, so that one's numbers do not pass the other's. */
const TURN = `SELECT pg_advisory_xact_lock(hashtext('holdfast'), hashtext('put in place'))`;

/**
 * A projection's tables made from nothing beside the live ones, which they replace when they have come to the end of the
 * stream. Rows and checkpoint of each write are one transaction, and so is all that puts them in place: killed at any
 * moment, a build goes on behind the last of them, and nobody reads a part of it.
 */
export class ProjectionBuild {
  private newest: Commit | undefined;
  private heldSince = performance.now();

  private constructor(
    private readonly ports: BuildPorts,
    private readonly projection: Pick<Projection, 'name' | 'aggregates'>,
    private readonly tables: readonly TableOfBuild[],
    private saved: Checkpoint,
    private lastNumber: number,
  ) {}

  /**
   * Whether a projection is built rather than followed: its checkpoint is at the beginning, and much lies before it, or
   * there are rows that its checkpoint does not know of.
   */
  static async isWanted(
    { database, bounds }: BuildPorts,
    projection: Projection,
    live: Checkpoint,
    end: number,
  ): Promise<boolean> {
    if (projection.builds === undefined || live.sequence > 0) return false;
    if (end >= bounds.commitsMin) return true;
    for (const { table } of projection.builds())
      if ((await database.sql.query(`SELECT 1 AS one FROM ${table} LIMIT 1`)).length > 0)
        return true;
    return false;
  }

  /** Goes on with a build that was begun before, where that is possible; else begins one. */
  static async open(
    ports: BuildPorts,
    projection: Projection,
    live: Checkpoint,
    end: number,
  ): Promise<ProjectionBuild> {
    const tables = projection.builds?.() ?? [];
    const { sql } = ports.database;
    const begun = await findCheckpoint(sql, projection.name, BUILDING_GENERATION);
    if (begun !== undefined && (await canGoOn(ports, begun, tables, { live, end }))) {
      for (const table of tables) table.goOn();
      const numbers = tables.filter(({ isNumbered }) => isNumbered);
      const last = await Promise.all(numbers.map(({ table }) => lastNumberIn(sql, table)));
      return new ProjectionBuild(ports, projection, tables, begun, Math.max(0, ...last));
    }
    const first: Checkpoint = { ...live, generation: BUILDING_GENERATION, sequence: 0, hash: '' };
    await ports.database.transaction(
      async (within) => {
        await within.execute(TURN); // Two at once would make the same schema.
        await removeBuildingCheckpoint(within, projection.name);
        await beginCheckpoint(within, first);
        for (const { table } of tables) await makeEmpty(within, table);
      },
      { repeatOnConflict: true },
    );
    return new ProjectionBuild(ports, projection, tables, first, 0);
  }

  /** As it is stored. */
  get checkpoint(): Checkpoint {
    return this.saved;
  }

  /** Up to where its rows are, here and in memory. */
  get position(): number {
    return this.newest?.revision ?? this.saved.sequence;
  }

  /** Whether so little is left before the end of the stream that it can be followed. */
  isLevelWith(end: number): boolean {
    return end - this.position < this.ports.bounds.commitsMin;
  }

  /**
   * Takes commits behind its position, in their order.
   *
   * @returns how many rows were written; 0 while they are held.
   * @throws SteppedDown another process went on with this build. Nothing was written.
   */
  async take(commits: readonly Commit[]): Promise<number> {
    const { database, bounds } = this.ports;
    const wanted = commits.filter(({ ref }) => this.projection.aggregates.includes(ref.aggregate));
    for (const table of this.tables) await table.fold(wanted, database.sql);
    this.newest = commits[commits.length - 1] ?? this.newest;
    const rows = sumOf(this.tables, ({ held }) => held.rows);
    const characters = sumOf(this.tables, ({ held }) => held.characters);
    const isDue = performance.now() - this.heldSince >= bounds.holdMaxMs;
    if (rows < bounds.rowsMax && characters < bounds.charactersMax && !isDue) return 0;
    const written = await database.transaction((sql) => this.flush(sql, this.lastNumber), PATIENT);
    this.wasSaved(written);
    return written;
  }

  /**
   * Writes what is left, completes the tables and puts them in the place of the live ones.
   *
   * @returns the live checkpoint.
   * @throws SteppedDown another process was here. Nothing was written.
   */
  async putInPlace(): Promise<{ readonly checkpoint: Checkpoint; readonly rows: number }> {
    const rows = await this.ports.database.transaction(
      async (sql) => {
        await sql.execute(TURN);
        const base = await numbersAhead(sql);
        const isFirst = this.lastNumber === 0;
        const written = await this.flush(sql, isFirst ? base : this.lastNumber);
        for (const { table, isNumbered } of this.tables) {
          if (isNumbered && !isFirst) await renumber(sql, table, base);
          await complete(sql, table);
        }
        await lockLive(
          sql,
          this.tables.map(({ table }) => table),
        );
        await passNumbers(sql, base, this.lastNumber + written);
        for (const { table } of this.tables) await putInPlace(sql, table);
        if (!(await promoteCheckpoint(sql, this.reached))) throw this.steppedDown();
        return written;
      },
      { ...PATIENT, repeatOnConflict: true },
    );
    this.wasSaved(rows);
    return { checkpoint: { ...this.saved, generation: LIVE_GENERATION }, rows };
  }

  /** The checkpoint first: whoever comes second waits there, and then writes nothing. */
  private async flush(sql: TransactionSql, lastNumber: number): Promise<number> {
    const { newest, saved } = this;
    if (newest !== undefined && !(await moveCheckpoint(sql, saved, newest)))
      throw this.steppedDown();
    await sql.execute(`SET LOCAL statement_timeout = ${String(SENT_MAX_MS)}`);
    let written = 0;
    for (const table of this.tables) {
      written += await table.flush(sql, lastNumber + written);
    }
    await sql.execute(`SET LOCAL statement_timeout = ${String(STATEMENT_MAX_MS)}`);
    if (saved.sequence === 0) for (const { table } of this.tables) await addPrimaryKey(sql, table);
    return written;
  }

  private get reached(): Checkpoint {
    return this.newest === undefined ? this.saved : checkpointAt(this.saved, this.newest);
  }

  private wasSaved(rows: number): void {
    this.saved = this.reached;
    this.newest = undefined;
    this.heldSince = performance.now();
    this.lastNumber += rows;
    for (const table of this.tables) table.forget();
  }

  private steppedDown(): SteppedDown {
    return new SteppedDown(this.projection.name);
  }
}

const PATIENT = { statementTimeoutMs: STATEMENT_MAX_MS };

const canGoOn = async (
  { database, store }: BuildPorts,
  begun: Checkpoint,
  tables: readonly TableOfBuild[],
  { live, end }: { readonly live: Checkpoint; readonly end: number },
): Promise<boolean> => {
  if (begun.sequence === 0) return false; // Nothing is lost.
  const there = await store.at(begun.sequence);
  const stream = { epoch: live.epoch, end, hash: there?.bodyHash };
  if (findingOn(begun, stream) !== null) return false;
  for (const { table } of tables) if (!(await hasSameShape(database.sql, table))) return false;
  return true;
};

/** So far beyond the newest number, those of what is built begin. */
const numbersAhead = async (sql: Sql): Promise<number> => {
  const [counter] = await sql.query<{ value: number }>('SELECT value FROM change_counter');
  return (counter?.value ?? 0) + NUMBERS_AHEAD;
};

/** From now on numbers are given behind those of what was built; all that were given before are below them. */
const passNumbers = async (sql: Sql, base: number, count: number): Promise<void> => {
  const passed = await sql.execute('UPDATE change_counter SET value = $2 WHERE value <= $1', [
    base,
    base + count,
  ]);
  if (passed === 0)
    throw new Error(`more than ${NUMBERS_AHEAD} changes came while tables were built`);
};

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
