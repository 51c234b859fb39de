import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** What a process of `queries` is told by its environment. */
export interface QueriesConfig extends ServiceConfig {
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string;
}

/** @throws InvalidConfiguration with every problem found. */
export const queriesConfig = (environment: Environment): Readonly<QueriesConfig> =>
  loadConfig(environment, (reader) => ({
    ...readServiceConfig(reader, 'queries'),
    databaseUrl: reader.text('DATABASE_URL'),
  }));
