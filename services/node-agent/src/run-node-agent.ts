import { randomUUID } from 'node:crypto';
import { connectLink } from '#nats';
import { ServiceProcess } from '#platform';
import { runtimeByName } from '#runtimes/registry';
import { nodeAgentConfig } from './node-agent.config.js';
import { NodeProcess, type NodeWork } from './node-process.js';
import { readNodeConfig } from './node.config.js';

/**
 * Runs one node-agent in this process, until it is told to end.
 *
 * @param environment what it is configured by.
 * @param work replaces the programs: only a benchmark does.
 */
export const runNodeAgent = async (
  environment: NodeJS.ProcessEnv,
  work?: NodeWork,
): Promise<void> => {
  const config = nodeAgentConfig(environment);
  const { process: self, health } = await ServiceProcess.begin(config);
  const { logger, metrics, readiness } = self;
  const node = await readNodeConfig(config.nodeFile, runtimeByName);
  const link = await connectLink({
    url: config.natsUrl,
    name: config.service,
    // However long the broker is away: what this node runs goes on, and is reported when it is back.
    connectWithinMs: Infinity,
  });
  link.onError((err) => {
    logger.error({ err }, 'the broker refuses it: NATS_URL must name the user of this very node');
  });
  readiness.set('nats', () => ({ ok: link.isConnected, detail: link.serverVersion }));
  const agent = await NodeProcess.open({
    link,
    node,
    windows: config.windows,
    dataFolder: config.dataFolder,
    incarnation: randomUUID(),
    logger,
    metrics,
    readiness,
    ...(work === undefined ? {} : { work }),
  });
  self.serves({ node: node.id, workspace: node.workspace }, async () => {
    await agent.close();
    await link.drain();
    await health.close();
  });
  await agent.start();
};
