/** Runs statements: on any free connection, or all on the one of a transaction. */
export interface Sql {
  /** The rows that a statement answers. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** How many rows a statement changed. */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
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
