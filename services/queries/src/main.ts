import 'reflect-metadata';
import { LeaseJudge, openBackbone } from '#nats';
import { JsonFile, ServiceProcess, runFile } from '#platform';
import { Database } from '#postgres';
import { createQueriesApp } from './queries.app.js';
import { queriesConfig } from './queries.config.js';
import { TABLES } from './tables.js';

const config = queriesConfig(process.env);
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
readiness.set('nats', () => ({ ok: link.isConnected, detail: link.serverVersion }));
readiness.set('durability', () => ({ ok: true, detail: topology.durability }));

const database = await Database.open({
  url: config.databaseUrl,
  applicationName: config.service,
  entities: TABLES,
  onProblem: (err) => {
    logger.warn({ err }, 'Postgres');
  },
});
readiness.set('postgres', async () => ({ ok: await database.isReachable() }));
const judge = new LeaseJudge(link, config.instance, config.windows);
judge.start();

const app = await createQueriesApp({
  backbone: { link, events, aggregates },
  judge,
  database,
  config,
  logger,
  metrics,
});
await app.listen();

self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  await app.close();
  await judge.stop();
  guard.stop();
  await database.close();
  await link.drain();
  await health.close();
});
