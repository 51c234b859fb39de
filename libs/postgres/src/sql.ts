import { QueryFailedError, TypeORMError } from 'typeorm';

/**
 * Runs statements: on any free connection, or all on the one of a transaction. Their texts are constants; what varies is
 * a parameter.
 */
export interface Sql {
  /** The rows that a statement answers. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** How many rows a statement changed. */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
}

/** Within a transaction, rows can be sent as one stream as well. */
export interface TransactionSql extends Sql {
  /**
   * Sends lines in the text format of COPY, as texts of any length.
   *
   * @param into a table and its columns: `run_prompt (workspace, run_id)`.
   * @returns how many rows were stored.
   */
  copy(into: string, lines: Iterable<string>): Promise<number>;
}

/** The five characters with which Postgres names an error, or undefined when it was not Postgres that answered. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: unknown };
  if (driverError !== undefined) return sqlStateOf(driverError); // TypeORM wraps what the driver threw.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/** Serialisation failure and deadlock: nothing happened, and the same transaction may succeed when it is run again. */
const CONFLICTS: readonly (string | undefined)[] = ['40001', '40P01'];

export const isConflict = (error: unknown): boolean => CONFLICTS.includes(sqlStateOf(error));

/** The database can't be asked now: its connection is lost, it is starting or ending, or it did not answer in time. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly code = 'database.unavailable';
  constructor(options: { readonly cause: unknown }) {
    super('the database can not be asked now', options);
  }
}

/** Connection lost, too many connections, a server that starts or ends, a statement that took too long. */
const AWAY = /^(08...|53300|57014|57P0[123])$/;

/** Whether an error of a query says that the database is away, and not that the query is wrong. */
export const saysAway = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  if (state !== undefined) return AWAY.test(state);
  if (error instanceof QueryFailedError) return true; // It was not Postgres that answered.
  const isOurs = [TypeORMError, TypeError, RangeError, ReferenceError, SyntaxError];
  return !isOurs.some((kind) => error instanceof kind);
};
