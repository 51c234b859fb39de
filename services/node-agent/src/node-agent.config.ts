import { join } from 'node:path';
import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** What a node-agent process is told by its environment; what the node is stands in its own file. */
export interface NodeAgentConfig extends ServiceConfig {
  /** The node's file: id, workspace, agents, bounds. */
  readonly nodeFile: string;
  /** The journal, the work directories: one machine, one agent. Must not be part of snapshots that are restored. */
  readonly dataFolder: string;
}

/** @throws InvalidConfiguration with every problem found. */
export const nodeAgentConfig = (environment: Environment): Readonly<NodeAgentConfig> =>
  loadConfig(environment, (reader) => {
    const service = readServiceConfig(reader, 'node-agent');
    const folder = join(service.home, 'node');
    return {
      ...service,
      nodeFile: reader.text('HOLDFAST_NODE_CONFIG', join(folder, 'node.json')),
      dataFolder: reader.text('HOLDFAST_NODE_DATA', folder),
    };
  });
