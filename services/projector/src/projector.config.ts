import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** What a process of `projector` is told by its environment. */
export interface ProjectorConfig extends ServiceConfig {
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string;
  /** How far behind the stream the rows may be before the process counts as not ready, ms. */
  readonly lagMaxMs: number;
}

/** Far above the 100 ms within which rows are current, far below what people take for an outage. */
const LAG_MAX_MS = { default: 5_000, bounds: [100, 3_600_000] } as const;

/** @throws InvalidConfiguration with every problem found. */
export const projectorConfig = (environment: Environment): Readonly<ProjectorConfig> =>
  loadConfig(environment, (reader) => ({
    ...readServiceConfig(reader, 'projector'),
    databaseUrl: reader.text('DATABASE_URL'),
    lagMaxMs: reader.integer('HOLDFAST_LAG_MAX_MS', LAG_MAX_MS.default, LAG_MAX_MS.bounds),
  }));
