import 'reflect-metadata';
import { join } from 'node:path';
import { connectLink } from '#nats';
import {
  Metrics,
  crashOnUnexpected,
  createLogger,
  drainOnSignal,
  loadConfig,
  runFile,
  startTracing,
  writeWhole,
} from '#platform';
import { tracing } from '#tracing';
import { Dashboard } from './dashboard/dashboard.js';
import { readGatewayConfig } from './gateway.config.js';
import { Gateway } from './gateway.js';
import { DurabilityProbe } from './health/durability.probe.js';
import { GatewayReadiness } from './health/readiness.js';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits.js';
import { DEFAULT_PACE } from './streams/stream-pace.js';
import { ConnectedUpstream } from './upstream/connected.upstream.js';
import { DEFAULT_PATIENCE } from './upstream/upstream.js';

const config = loadConfig(process.env, readGatewayConfig);
const logger = createLogger(config);
crashOnUnexpected(logger);
await startTracing(config, logger);

// Only when everything else is made: a broker waits no longer than 2 s for a login, and making it can take that long.
// It is not waited for: while the broker is away, `/readyz` and the dashboard say so.
const { natsUrl: url, instance: name } = config;
let beginLinking = (): void => undefined;
const linking = new Promise<void>((resolve) => (beginLinking = resolve)).then(() =>
  connectLink({ url, name, connectWithinMs: Infinity }),
);
const upstream = new ConnectedUpstream(linking);
const durability = new DurabilityProbe(linking, config);
const readiness = new GatewayReadiness({
  upstream,
  isConnected: () => upstream.isConnected,
  durability: () => durability.look(),
});
const gateway = await Gateway.create({
  upstream,
  readiness,
  logger,
  patience: DEFAULT_PATIENCE,
  pace: DEFAULT_PACE,
  limits: DEFAULT_HTTP_LIMITS,
  metrics: new Metrics(config.service),
  dashboard: Dashboard.in(join(import.meta.dirname, '../../../dashboard')),
});
drainOnSignal(async () => {
  readiness.board.leave();
  await gateway.close();
  await upstream.close();
  await tracing.stop();
}, logger);
beginLinking();
const port = await gateway.listen(config.port, config.host);
await writeWhole(runFile(config, 'port'), `${port}\n`);
logger.info({ port, host: config.host }, 'listening');
