import { crashOnUnexpected, createLogger, loadConfig, LOG_LEVELS } from '#platform';
import { migrate } from '#postgres';
import { MIGRATIONS } from '../../../migrations/index.js';

/** Brings the database's schema up to date, and ends: 0 when it is, 1 when it is not. Several at once take turns. */
const config = loadConfig(process.env, (reader) => ({
  service: 'migrate',
  instance: `migrate-${process.pid}`,
  databaseUrl: reader.text('DATABASE_URL'),
  logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
}));
const logger = createLogger(config);
crashOnUnexpected(logger);

try {
  const ran = await migrate({
    url: config.databaseUrl,
    migrations: MIGRATIONS,
    onProblem: (err) => logger.debug({ err }, 'Postgres'),
  });
  logger.info({ ran }, 'the schema is up to date');
} catch (err) {
  logger.error({ err }, 'the schema could not be brought up to date');
  process.exitCode = 1;
}
