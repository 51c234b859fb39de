import 'reflect-metadata';
import { resolve } from 'node:path';
import { connectLink } from '#nats';
import {
  Metrics,
  crashOnUnexpected,
  createLogger,
  drainOnSignal,
  loadConfig,
  runFile,
  writeWhole,
} from '#platform';
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

// Not awaited: while the broker is away, `/readyz` and the dashboard say so.
const { natsUrl: url, instance: name } = config;
const linking = connectLink({ url, name, connectWithinMs: Infinity });
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
  dashboard: Dashboard.in(resolve(import.meta.dirname, '../../../dashboard')),
});
drainOnSignal(async () => {
  readiness.board.leave();
  await gateway.close();
  await upstream.close();
}, logger);
const port = await gateway.listen(config.port, config.host);
await writeWhole(runFile(config, 'port'), `${port}\n`);
logger.info({ port, host: config.host }, 'listening');
