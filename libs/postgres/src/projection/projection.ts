import type { Commit } from '#event-store';
import type { Sql, TransactionSql } from '../sql.js';

/** A read model: what it follows, and how commits become rows. */
export interface Projection {
  /** Names its checkpoint, its lock and its metrics: lower-case letters and dashes. */
  readonly name: string;
  /** The aggregates whose commits may change its rows. */
  readonly aggregates: readonly string[];
  /**
   * Writes what these commits change, in stream order, within the caller's transaction. Commits that the rows already
   * contain change nothing.
   *
   * @returns how many rows were written.
   */
  write(commits: readonly Commit[], sql: Sql): Promise<number>;
  /** Removes every row, within the caller's transaction: the first half of a rebuild. */
  clear(sql: Sql): Promise<void>;
  /** Its tables, to be made from nothing; one without is only followed. */
  builds?(): readonly TableOfBuild[];
}

/** A table that is made from nothing beside the live one, see {@link TableBuild}. */
export interface TableOfBuild {
  /** The live one. */
  readonly table: string;
  /** Changes of its rows have numbers. */
  readonly isNumbered: boolean;
  /** What waits to be written. */
  readonly held: { readonly rows: number; readonly characters: number };
  /** There are rows from before. */
  goOn(): void;
  /** Takes commits into memory, all of them after those before; it may load rows. */
  fold(commits: readonly Commit[], sql: Sql): Promise<void>;
  /** Writes what it holds, with the numbers after this one. @returns how many rows. */
  flush(sql: TransactionSql, lastNumber: number): Promise<number>;
  /** What was flushed is committed. */
  forget(): void;
}

/** Where a projection stands, for readiness, metrics and people. */
export interface ProjectionStatus {
  readonly name: string;
  readonly state: ProjectionState;
  /** The last stream sequence that its rows contain, or those that are being built. */
  readonly position: number;
  /** Why it stopped or fails, in plain words; null while it does not. */
  readonly problem: string | null;
}

/**
 * `opening`: not yet looked at. `following`: its rows follow the stream. `building`: they are made from nothing
 * beside the live ones, which stay as they are meanwhile. `standby`: another process does that.
 * `failing`: its last write failed, it is tried again. `stopped`: the stream contradicts its checkpoint, a person must look.
 */
export type ProjectionState =
  'opening' | 'following' | 'building' | 'standby' | 'failing' | 'stopped';

/** Another process moved this projection on: what was written here was rolled back. Look again from its checkpoint. */
export class SteppedDown extends Error {
  override readonly name = 'SteppedDown';
  readonly code = 'projection.stepped_down';
  constructor(readonly projection: string) {
    super(`projection ${projection} was moved on by another process`);
  }
}
