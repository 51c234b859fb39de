import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DataSource, type EntitySchema, type MixedList } from 'typeorm';
import { guardedClient } from './guarded-client.js';
import { QUIET } from './quiet-logger.js';
import {
  DatabaseUnavailable,
  isConflict,
  saysAway,
  sqlStateOf,
  type Sql,
  type TransactionSql,
} from './sql.js';

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- what TypeORM calls a class with decorators.
type Entities = MixedList<Function | string | EntitySchema>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Shown in `pg_stat_activity`: the service's name. */
  readonly applicationName: string;
  readonly entities: Entities;
  /** Most connections at once. Default {@link POOL_MAX}. */
  readonly poolMax?: number;
  /**
   * All of its statements name rows by key, so that the planner should use the key whatever it believes of a table's size:
   * right after a rebuild began it takes a table for empty, and walks through all of it for each row.
   */
  readonly asksByKey?: boolean;
  /** After how long the server ends a statement, ms. Default {@link STATEMENT_TIMEOUT_MS}; 0 = never (migrations). */
  readonly statementTimeoutMs?: number;
  /** Told of lost connections and of failed rollbacks. What the caller must know is thrown as well. */
  readonly onProblem?: (problem: unknown) => void;
}

/** Seven services with five connections each stay far below the 100 that Postgres allows by default. */
export const POOL_MAX = 5;
/** No statement of ours should take a tenth of this; a stuck one must not hold its rows for long. */
export const STATEMENT_TIMEOUT_MS = 10_000;
/** A free connection, or a new one, is there within this, or the caller is told. */
const CONNECT_TIMEOUT_MS = 3_000;
/** The client gives up this much after the server should have: only when the server is not heard at all. */
const SILENCE_MARGIN_MS = 2_000;
/** Pauses between attempts to reach a database that is not there. */
const OPEN_PAUSE_MS = 200;
/** How often a transaction that lost to another one is run in all, where its caller allows that. */
const CONFLICT_ATTEMPTS_MAX = 5;

export interface TransactionOptions {
  /** The work may be run again when it lost to another transaction (40001, 40P01). */
  readonly repeatOnConflict?: boolean;
  /** After how long the server ends one of its statements, ms; default: as any other. For work on whole tables. */
  readonly statementTimeoutMs?: number;
}

/** The data source of a process: a bounded pool that outlives its server, and transactions that tell the first error. */
export class Database {
  private constructor(
    /** The entities' metadata. Ask through {@link read} or {@link transaction}. */
    readonly dataSource: DataSource,
    private readonly options: DatabaseOptions,
  ) {}

  /**
   * Connects, and tries again until the database is there or `signal` aborts.
   *
   * @throws the signal's reason when it aborts first.
   */
  static async open(options: DatabaseOptions, signal?: AbortSignal): Promise<Database> {
    for (;;) {
      signal?.throwIfAborted();
      const dataSource = dataSourceOf(options);
      try {
        await dataSource.initialize();
        return new Database(dataSource, options);
      } catch (problem) {
        options.onProblem?.(problem);
        await delay(OPEN_PAUSE_MS, undefined, signal === undefined ? {} : { signal });
      }
    }
  }

  /** Statements outside of a transaction, each on its own. */
  get sql(): Sql {
    return sqlOver((statement) => this.pool.query(statement));
  }

  /**
   * Asks through repositories and query builders.
   *
   * @param query nothing but the query: what it throws is taken for the database's.
   * @throws DatabaseUnavailable the database can't be asked now.
   */
  async read<T>(query: (dataSource: DataSource) => Promise<T>): Promise<T> {
    try {
      return await query(this.dataSource);
    } catch (cause) {
      throw saysAway(cause) ? new DatabaseUnavailable({ cause }) : cause;
    }
  }

  /** One round trip: is the database there, and does it answer? */
  async isReachable(): Promise<boolean> {
    try {
      await this.pool.query('SELECT 1');
      return true;
    } catch (problem) {
      this.options.onProblem?.(problem);
      return false;
    }
  }

  /**
   * Runs `work` in one transaction: all of it or nothing.
   *
   * The error that is thrown is the first one, whatever the rollback then did; a connection that could not be rolled
   * back is destroyed. When the connection breaks during COMMIT, the work may have been committed.
   */
  async transaction<T>(
    work: (sql: TransactionSql) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const attemptsMax = options.repeatOnConflict === true ? CONFLICT_ATTEMPTS_MAX : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.transactOnce(work, options);
      } catch (error) {
        if (attempt >= attemptsMax || !isConflict(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private async transactOnce<T>(
    work: (sql: TransactionSql) => Promise<T>,
    { statementTimeoutMs }: TransactionOptions,
  ): Promise<T> {
    const client = await this.pool.connect();
    let lost: unknown;
    let unusable: unknown;
    const onLost = (problem: unknown): void => {
      lost ??= problem;
    };
    client.on('error', onLost);
    const patience =
      statementTimeoutMs === undefined
        ? {}
        : { query_timeout: statementTimeoutMs + SILENCE_MARGIN_MS };
    const asked = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
      try {
        return await question();
      } catch (error) {
        if (sqlStateOf(error) === undefined) unusable = error; // Postgres did not say it: nobody knows where it stands.
        throw lost ?? error; // Between two statements the connection said why it ended.
      }
    };
    const run = async (statement: QueryConfig): Promise<QueryResult> =>
      asked(() => client.query({ ...statement, ...patience }));
    const copy = async (into: string, lines: Iterable<string>): Promise<number> =>
      asked(async () => {
        const stream = client.query(Object.assign(copyFrom(`COPY ${into} FROM STDIN`), patience));
        await pipeline(Readable.from(lines), stream);
        return stream.rowCount;
      });
    try {
      await run({ text: `BEGIN${limitsOf(statementTimeoutMs)}` });
      const result = await work({ ...sqlOver(run), copy });
      const { command } = await run({ text: 'COMMIT' });
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`);
      return result;
    } catch (error) {
      unusable ??= lost ?? (await this.rollBack(client));
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(unusable === undefined ? undefined : true);
    }
  }

  /** Answers why the client can't be used again; undefined when it can. */
  private async rollBack(client: PoolClient): Promise<unknown> {
    try {
      await client.query('ROLLBACK');
      return undefined;
    } catch (problem) {
      this.options.onProblem?.(problem);
      return problem;
    }
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { readonly master: Pool }).master;
  }
}

const dataSourceOf = (options: DatabaseOptions): DataSource => {
  const onProblem = options.onProblem ?? ((): void => undefined);
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: options.entities,
    poolSize: options.poolMax ?? POOL_MAX,
    poolErrorHandler: onProblem,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    parseInt8: true, // Sequences and sizes stay below 2^53.
    logger: QUIET,
    extra: {
      Client: guardedClient(onProblem),
      keepAlive: true,
      options: `-c timezone=UTC${options.asksByKey === true ? ' -c enable_seqscan=off' : ''}`,
      ...(statementTimeoutMs === 0
        ? {}
        : {
            statement_timeout: statementTimeoutMs,
            lock_timeout: statementTimeoutMs,
            idle_in_transaction_session_timeout: statementTimeoutMs,
            query_timeout: statementTimeoutMs + SILENCE_MARGIN_MS,
          }),
    },
  });
};

/** For one transaction. One whose process hangs between two statements still ends as any other. */
const limitsOf = (statementTimeoutMs: number | undefined): string =>
  statementTimeoutMs === undefined
    ? ''
    : LIMITS.map((limit) => `; SET LOCAL ${limit} = ${String(statementTimeoutMs)}`).join('');
const LIMITS = ['statement_timeout', 'lock_timeout'];

const sqlOver = (run: (statement: QueryConfig) => Promise<QueryResult>): Sql => ({
  query: async <Row extends object>(text: string, values?: readonly unknown[]) => {
    const { rows } = await run(prepared(text, values));
    return rows as Row[];
  },
  execute: async (text, values) => {
    const { rowCount } = await run(prepared(text, values));
    return rowCount ?? 0;
  },
});

/** A statement with parameters is parsed and planned once per connection: its text is a constant of this program. */
const prepared = (text: string, values: readonly unknown[] = []): QueryConfig =>
  values.length === 0 ? { text } : { name: nameOf(text), text, values: [...values] };

const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
};
