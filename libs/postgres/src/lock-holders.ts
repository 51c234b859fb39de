import { lockKey } from './advisory-locks.js';
import type { Sql } from './sql.js';

/** Who holds an advisory lock. */
export interface LockHolder {
  /** What its connection calls itself. */
  readonly holder: string;
  /** How long ago it said anything, ms: whoever holds a lock says something every 2 s. */
  readonly heardMsAgo: number;
}

interface Row {
  readonly key: string;
  readonly holder: string | null;
  readonly heard_ms_ago: number;
}

/** A lock of one 64-bit number is shown in two halves, and with 1 behind it. */
const HOLDERS = `SELECT ((locks.classid::bigint << 32) | locks.objid::bigint)::text AS key,
    activity.application_name AS holder,
    (extract(epoch FROM clock_timestamp() - activity.state_change) * 1000)::float8 AS heard_ms_ago
  FROM pg_locks locks JOIN pg_stat_activity activity ON activity.pid = locks.pid
  WHERE locks.locktype = 'advisory' AND locks.objsubid = 1 AND locks.granted
    AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Who holds each of the named locks now; those that nobody holds are missing. */
export const holdersOf = async (
  sql: Pick<Sql, 'query'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, LockHolder>> => {
  const rows = await sql.query<Row>(HOLDERS);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return new Map(
    names.flatMap((name): [string, LockHolder][] => {
      const row = byKey.get(lockKey(name));
      if (row === undefined) return [];
      const heardMsAgo = Math.max(0, Math.round(row.heard_ms_ago));
      return [[name, { holder: row.holder ?? 'a connection of another user', heardMsAgo }]];
    }),
  );
};
