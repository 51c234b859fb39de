import type { Logger } from 'typeorm';

/** TypeORM writes to the console what it also throws; our logs are written by whoever catches it. */
export const QUIET: Logger = {
  log: () => undefined,
  logMigration: () => undefined,
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
};
