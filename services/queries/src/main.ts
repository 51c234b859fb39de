import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AgentViewEntity } from '#agents/projection';
import { problemOf } from '#hosting';
import { HoldfastNatsServer, LeaseJudge, openBackbone, OutputReader, UnchangedErrors } from '#nats';
import { readVerdict } from '#nodes/contract';
import { NodeViewEntity } from '#nodes/projection';
import { JsonFile, ServiceProcess, nestLogger, runFile, systemClock } from '#platform';
import { CheckpointEntity, Database } from '#postgres';
import { RunPromptEntity, RunViewEntity } from '#runs/projection';
import { SessionViewEntity } from '#sessions/projection';
import { queriesConfig } from './queries.config.js';
import { QueriesModule } from './queries.module.js';

const config = queriesConfig(process.env);
const { process: self, health } = await ServiceProcess.begin(config);
const { logger, metrics, readiness } = self;
const { link, topology, events, aggregates, guard } = await openBackbone({
  ...config,
  mode: 'check',
  memory: new JsonFile(runFile(config, 'seen')),
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
  entities: [
    CheckpointEntity,
    RunViewEntity,
    RunPromptEntity,
    SessionViewEntity,
    AgentViewEntity,
    NodeViewEntity,
  ],
  onProblem: (err) => {
    logger.warn({ err }, 'Postgres');
  },
});
readiness.set('postgres', async () => ({ ok: await database.isReachable() }));
const judge = new LeaseJudge(link, config.instance, config.windows);
judge.start();

const strategy = new HoldfastNatsServer({
  link,
  service: config.service,
  toProblem: problemOf,
  onUnexpected: (err, subject) => {
    logger.error({ err, subject }, 'a request failed unexpectedly');
  },
});
const app = await NestFactory.createMicroservice(
  QueriesModule.over({
    database,
    events,
    aggregates,
    leases: {
      judge: async (workspace, node) => readVerdict(await judge.judge(workspace, node)),
    },
    output: new OutputReader(link),
    clock: systemClock,
    nowMs: () => performance.now(),
    metrics,
  }),
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares options as a class, and takes plain objects.
  { logger: nestLogger(logger), strategy },
);
app.useGlobalFilters(new UnchangedErrors());
await app.listen();
self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  await app.close();
  await judge.stop();
  await database.close();
  guard.stop();
  await link.drain();
  await health.close();
});
