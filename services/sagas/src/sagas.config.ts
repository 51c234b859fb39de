import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** @throws InvalidConfiguration with every problem found. */
export const sagasConfig = (environment: Environment): Readonly<ServiceConfig> =>
  loadConfig(environment, (reader) => readServiceConfig(reader, 'sagas'));
