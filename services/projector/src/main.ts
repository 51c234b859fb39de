import { JetStreamEventFeed, openBackbone } from '#nats';
import { JsonFile, ServiceProcess, runFile } from '#platform';
import { AdvisoryLocks, Database, ProjectionGroup } from '#postgres';
import { ProjectionWatch } from './projection-watch.js';
import { projectorConfig } from './projector.config.js';
import { READ_MODELS, projectionsOver } from './read-models.js';

/** How often the end of the stream is looked at, for the lag. */
const LOOK_MS = 1_000;

const config = projectorConfig(process.env);
const { process: self, health } = await ServiceProcess.begin(config);
const { logger, metrics, readiness } = self;

const { link, topology, events, guard } = await openBackbone({
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

const onProblem = (err: unknown): void => {
  logger.warn({ err }, 'Postgres');
};
const postgres = { url: config.databaseUrl, applicationName: config.service, onProblem };
const database = await Database.open({ ...postgres, entities: READ_MODELS, asksByKey: true });
readiness.set('postgres', async () => ({ ok: await database.isReachable() }));

// Under its own name: who is the active one can be seen at the database.
const locks = new AdvisoryLocks({ ...postgres, applicationName: config.instance });
const watch = new ProjectionWatch(logger, metrics, () => performance.now());
const group = new ProjectionGroup({
  database,
  locks,
  store: events,
  observer: watch,
  projections: projectionsOver(database),
  feed: new JetStreamEventFeed(link, {
    onProblem: (err) => {
      watch.problem(undefined, err);
    },
  }),
});
readiness.set('projections', () => watch.readiness(group, config.lagMaxMs));
// After each connect the broker may hold another stream: every checkpoint is compared again.
link.onReconnect(() => {
  group.reopen();
});

const look = async (): Promise<void> => {
  try {
    watch.sawEnd(await events.end());
  } catch (err) {
    logger.debug({ err }, 'the end of the stream could not be read'); // Readiness says so of the connection.
  }
  watch.observe(metrics, group);
};
await look();
const looking = setInterval(() => void look(), LOOK_MS);
const ending = new AbortController();
const projecting = group.run(ending.signal);

self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  ending.abort();
  clearInterval(looking);
  await projecting;
  guard.stop();
  await locks.close();
  await database.close();
  await link.drain();
  await health.close();
});
