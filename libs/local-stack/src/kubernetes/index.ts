import type { Namespace } from 'kubernetes-types/core/v1.js';
import { SERVICES } from '../service-table.js';
import { NAMESPACE } from './parts.js';
import { networkPolicies } from './policies.js';
import { COPIED, budgetFor, migrateJob, nodeConfig, serviceFor, workloadOf } from './services.js';
import {
  natsBudget,
  natsConfig,
  natsServers,
  natsService,
  postgresServer,
  postgresService,
} from './stores.js';

/** Nothing here needs more than an ordinary user may do. */
const namespace = (): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
});

/**
 * What the files of `deploy/kubernetes/` have to say, by name: the stack of `npm start`, with three servers of the broker
 * and two of each service that can have another.
 *
 * @param nodeJson the text of `deploy/node.json`.
 */
export const kubernetesFiles = (nodeJson: string): Readonly<Record<string, readonly object[]>> => ({
  'namespace.yaml': [namespace()],
  'nats.yaml': [natsConfig(), natsService(), natsServers(), natsBudget()],
  'postgres.yaml': [postgresService(), postgresServer()],
  'migrate.yaml': [migrateJob()],
  'services.yaml': COPIED.flatMap((entry) => [
    ...serviceFor(entry),
    workloadOf(entry),
    budgetFor(entry),
  ]),
  'node-agent.yaml': [
    nodeConfig(nodeJson),
    ...SERVICES.filter(({ name }) => name === 'node-agent').flatMap((entry) => [
      ...serviceFor(entry),
      workloadOf(entry),
    ]),
  ],
  'network-policies.yaml': networkPolicies(),
});
