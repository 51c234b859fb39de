import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** What a reconciler is told by its environment. */
export interface ReconcilerConfig extends ServiceConfig {
  readonly databaseUrl: string;
}

/** @throws InvalidConfiguration with every problem found. */
export const reconcilerConfig = (environment: Environment): Readonly<ReconcilerConfig> =>
  loadConfig(environment, (reader) => ({
    ...readServiceConfig(reader, 'reconciler'),
    databaseUrl: reader.text('DATABASE_URL'),
  }));
