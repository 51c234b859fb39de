import { sqlStateOf, type Sql } from '../sql.js';

/** Where tables are built: there they can have the names that they, and their indexes, have when they are live. */
export const BUILDING_SCHEMA = 'building';

/** Makes a table of the same shape as the live one, empty and without indexes. */
export const makeEmpty = async (sql: Sql, table: string): Promise<void> => {
  const building = `${BUILDING_SCHEMA}.${table}`;
  await sql.execute(`CREATE SCHEMA IF NOT EXISTS ${BUILDING_SCHEMA}`);
  await sql.execute(`DROP TABLE IF EXISTS ${building}`);
  await sql.execute(`CREATE TABLE ${building} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`);
};

/** Lets its rows be found: as soon as there are some, since it costs less at once than row by row. */
export const addPrimaryKey = async (sql: Sql, table: string): Promise<void> => {
  await executeAll(
    sql,
    `SELECT format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s',
        $2::text, $1::text, conname, pg_get_constraintdef(oid)) AS text
     FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'p'`,
    table,
  );
};

/** Whether a table that was begun before still has the columns of the live one. */
export const hasSameShape = async (sql: Sql, table: string): Promise<boolean> => {
  const columns = (name: string): string =>
    `SELECT attname, atttypid, atttypmod, attnotnull FROM pg_attribute
     WHERE attrelid = to_regclass(${name}) AND attnum > 0 AND NOT attisdropped`;
  const [found] = await sql.query<{ differ: boolean }>(
    `SELECT EXISTS ((${columns('$1')} EXCEPT ${columns('$2')})
      UNION ALL (${columns('$2')} EXCEPT ${columns('$1')})) AS differ`,
    [table, `${BUILDING_SCHEMA}.${table}`],
  );
  return found?.differ === false;
};

/** The number of its newest row; 0 = there is none. */
export const lastNumberIn = async (sql: Sql, table: string): Promise<number> => {
  const [newest] = await sql.query<{ number: number }>(
    `SELECT coalesce(max(change), 0) AS number FROM ${BUILDING_SCHEMA}.${table}`,
  );
  return newest?.number ?? 0;
};

/**
 * Gives the rows their final numbers. The table is written anew by it, which also leaves out what was replaced, and
 * costs less than the update of all rows would.
 */
export const renumber = async (sql: Sql, table: string, base: number): Promise<void> => {
  await sql.execute(
    `ALTER TABLE ${BUILDING_SCHEMA}.${table}
     ALTER COLUMN change TYPE bigint USING change + ${String(base)}`,
  );
};

/** What the live table has beside its rows: indexes, who may use it; and what the planner must know of the
 * columns that it is asked by. */
export const complete = async (sql: Sql, table: string): Promise<void> => {
  await executeAll(
    sql,
    `SELECT replace(pg_get_indexdef(indexrelid), format(' ON %I.%I ', nspname, relname),
        format(' ON %I.%I ', $2::text, relname)) AS text
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
       JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE indrelid = to_regclass($1) AND NOT indisprimary
     ORDER BY indexrelid`,
    table,
  );
  await executeAll(
    sql,
    `SELECT format('GRANT %s ON %I.%I TO %s', privilege_type, $2::text, relname,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END) AS text
     FROM pg_class, aclexplode(relacl)
     WHERE pg_class.oid = to_regclass($1) AND grantee <> relowner`,
    table,
  );
  await executeAll(
    sql,
    `SELECT format('ANALYZE %I.%I (%s)', $2::text, $1::text, string_agg(quote_ident(attname), ', '))
       AS text
     FROM (SELECT DISTINCT attname FROM pg_index JOIN pg_attribute
         ON attrelid = indrelid AND attnum = ANY (indkey::int2[])
       WHERE indrelid = to_regclass($1)) AS indexed`,
    table,
  );
};

/**
 * For so long others wait behind us for a table that a slow query still reads, ms. Below the second after which Postgres
 * looks for deadlocks, so that it is us who give way.
 */
const LOCK_TRY_MS = 300;
/** So often they are tried: for a minute at most. */
const LOCK_TRIES_MAX = 100;

/** Waits until nobody reads these tables, and keeps all others waiting from then on. */
export const lockLive = async (sql: Sql, tables: readonly string[]): Promise<void> => {
  for (let tries = 1; !(await lockedAll(sql, tables)); tries += 1) {
    if (tries >= LOCK_TRIES_MAX)
      throw new Error(`${tables.join(', ')} could not be replaced: they are read all the time`);
    await sql.execute(`SELECT pg_sleep(${String(LOCK_TRY_MS / 1_000)})`); // Who waited behind us goes first.
  }
};

/** Puts what was built in the place of what is live, and is locked. Whoever waited for that then reads the new tables. */
export const putInPlace = async (sql: Sql, table: string): Promise<void> => {
  await sql.execute(`DROP TABLE ${table}`);
  await executeAll(
    sql,
    `SELECT format('ALTER TABLE %I.%I SET SCHEMA %I', $2::text, $1::text, current_schema()) AS text`,
    table,
  );
};

/** All of them, or none. */
const lockedAll = async (sql: Sql, tables: readonly string[]): Promise<boolean> => {
  await sql.execute('SAVEPOINT before_locks');
  await sql.execute(`SET LOCAL lock_timeout = ${String(LOCK_TRY_MS)}`); // Until the savepoint is left.
  try {
    await sql.execute(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    return true;
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    await sql.execute('ROLLBACK TO before_locks');
    return false;
  }
};
const LOCK_NOT_AVAILABLE = '55P03';

/** Statements that the database itself words: `$1` is the live table, `$2` the schema of those that are built. */
const executeAll = async (sql: Sql, wording: string, table: string): Promise<void> => {
  for (const { text } of await sql.query<{ text: string }>(wording, [table, BUILDING_SCHEMA]))
    await sql.execute(text);
};
