import 'reflect-metadata';
import { JetStreamEventFeed, JetStreamSubscriptionFeed, LeaseJudge, openBackbone } from '#nats';
import { JsonFile, ServiceProcess, runFile } from '#platform';
import { createSagasApp } from './sagas.app.js';
import { sagasConfig } from './sagas.config.js';

const config = sagasConfig(process.env);
const { process: self, health } = await ServiceProcess.begin(config);
const { logger, metrics, readiness } = self;

const { link, topology, events, aggregates, guard } = await openBackbone({
  ...config,
  mode: 'check',
  memory: new JsonFile(runFile(config, 'seen')),
  metrics,
  onWaiting: (why) => {
    self.waitsFor(why);
  },
  onDiverged: (err) => {
    logger.fatal({ err }, 'the stream is not the one that was seen: was it restored?');
    process.exit(1);
  },
});
for (const warning of topology.warnings) logger.warn({ warning }, 'topology');
readiness.set('nats', () => ({ ok: link.isConnected, detail: link.serverVersion }));
readiness.set('durability', () => ({ ok: true, detail: topology.durability }));

const judge = new LeaseJudge(link, config.instance, config.windows);
judge.start();
const feed = new JetStreamSubscriptionFeed(link, config.windows, {
  onProblem: (err) => {
    logger.warn({ err }, 'commits are not delivered');
  },
});
const stream = new JetStreamEventFeed(link, {
  onProblem: (err) => {
    logger.warn({ err }, 'nodes are not followed');
  },
});
const app = await createSagasApp({
  backbone: { link, events, aggregates },
  judge,
  feed,
  stream,
  config,
  logger,
  metrics,
  readiness,
});
await app.start();

self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  await app.stop();
  await judge.stop();
  guard.stop();
  await link.drain();
  await health.close();
});
