import { randomUUID } from 'node:crypto';
import { connectLink } from '#nats';
import {
  crashOnUnexpected,
  createLogger,
  drainOnSignal,
  HealthServer,
  Metrics,
  ReadinessBoard,
  runFile,
} from '#platform';
import { runtimeByName } from '#runtimes/registry';
import { nodeAgentConfig } from './node-agent.config.js';
import { NodeProcess } from './node-process.js';
import { readNodeConfig } from './node.config.js';

const config = nodeAgentConfig(process.env);
const logger = createLogger(config);
crashOnUnexpected(logger);
const node = await readNodeConfig(config.nodeFile, runtimeByName);
const readiness = new ReadinessBoard();
const health = await HealthServer.start({
  port: config.metricsPort,
  portFile: runFile(config, 'port'),
  readiness,
  metrics: new Metrics(config.service),
});
// However long the broker is away: what this node runs goes on, and is reported when it is back.
const link = await connectLink({
  url: config.natsUrl,
  name: config.service,
  connectWithinMs: Infinity,
});
readiness.set('nats', () => ({ ok: link.isConnected }));
const incarnation = randomUUID();
const { windows, dataFolder } = config;
const agent = await NodeProcess.open({
  link,
  node,
  windows,
  dataFolder,
  incarnation,
  logger,
  readiness,
});
drainOnSignal(async () => {
  readiness.leave();
  await agent.close();
  await link.drain();
  await health.close();
}, logger);
await agent.start();
