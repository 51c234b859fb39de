import 'reflect-metadata';
import { issueBootstrapTokens, readBootstrapTokens } from '#access/command';
import { LeaseJudge, ensureFirstEpoch, openBackbone } from '#nats';
import {
  JsonFile,
  ServiceProcess,
  WorkspaceKeys,
  readSecret,
  runFile,
  systemClock,
} from '#platform';
import { createCommandsApp } from './commands.app.js';
import { commandsConfig } from './commands.config.js';

const config = commandsConfig(process.env);
const { process: self, health } = await ServiceProcess.begin(config);
const { logger, metrics, readiness } = self;
const keys = new WorkspaceKeys(await readSecret(config.secretFile));
const bootstrapTokens = await readBootstrapTokens(config.bootstrapTokensFile);

const { link, topology, events, aggregates, guard } = await openBackbone({
  ...config,
  mode: 'create',
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

await ensureFirstEpoch(events, 'service:commands', systemClock.now());
await issueBootstrapTokens(aggregates, bootstrapTokens, systemClock);
const judge = new LeaseJudge(link, config.instance, config.windows);
judge.start();

const app = await createCommandsApp({
  backbone: { link, events, aggregates },
  judge,
  config,
  keys,
  logger,
  metrics,
});
await app.listen();
self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  await app.close();
  await judge.stop();
  guard.stop();
  await link.drain();
  await health.close();
});
