import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type MigrationInterface } from 'typeorm';
import { AdvisoryLocks } from './advisory-locks.js';
import { guardedClient } from './guarded-client.js';
import { QUIET } from './quiet-logger.js';
import { isConflict, sqlStateOf } from './sql.js';

export interface MigrateOptions {
  readonly url: string;
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** How long the database, and the migration of another process, is waited for, ms. Default 60,000. */
  readonly withinMs?: number;
  readonly onProblem?: (problem: unknown) => void;
}

/** One at a time over all processes of a database. */
const LOCK = 'migrations';
/** Polled: a blocking wait would hold a snapshot that a concurrent index build waits for, and both for ever. */
const POLL_MS = 100;
const ATTEMPTS_MAX = 5;

/**
 * Brings the schema up to date: one process at a time, each migration in a transaction of its own.
 *
 * @returns the names of the migrations that this call ran.
 * @throws Error the database, or the turn, did not come in time; or what a migration threw.
 */
export const migrate = async (options: MigrateOptions): Promise<readonly string[]> => {
  const { url, onProblem, withinMs = 60_000 } = options;
  const locks = new AdvisoryLocks({
    url,
    applicationName: 'holdfast-migrate',
    ...(onProblem === undefined ? {} : { onProblem }),
  });
  try {
    const deadline = performance.now() + withinMs;
    await acquired(locks, deadline);
    return await runRepeatedly(options);
  } finally {
    await locks.close();
  }
};

/** Waits for the lock; a database that is still starting is waited for as well. */
const acquired = async (locks: AdvisoryLocks, deadline: number): Promise<void> => {
  for (;;) {
    let cause: unknown;
    try {
      if (await locks.tryAcquire(LOCK)) return;
    } catch (problem) {
      cause = problem;
    }
    if (performance.now() > deadline)
      throw new Error('the turn to migrate the database did not come in time', { cause });
    await delay(POLL_MS);
  }
};

/** Only lost conflicts are repeated: any other error needs a person. */
const runRepeatedly = async (options: MigrateOptions): Promise<readonly string[]> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(options);
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isConflict(error)) throw error;
    }
  }
};

const run = async ({ url, migrations, onProblem }: MigrateOptions): Promise<readonly string[]> => {
  let lost: unknown;
  const listen = (problem: unknown): void => {
    lost ??= problem;
    onProblem?.(problem);
  };
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'holdfast-migrate',
    poolSize: 2,
    poolErrorHandler: listen,
    logger: QUIET,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    extra: { Client: guardedClient(listen) },
  });
  await dataSource.initialize();
  try {
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    return ran.map(({ name }) => name);
  } catch (error) {
    // Between two statements the connection said why it ended; the next one only knows that it is gone.
    throw sqlStateOf(error) === undefined ? (lost ?? error) : error;
  } finally {
    await dataSource.destroy();
  }
};
