export type { ProcessSpec } from './child-process.js';
export { natsServerBinary, type NatsSeries, type NatsServerBinary } from './nats-binary.js';
export type { NatsPermissions, NatsUser } from './nats-config.js';
export { NatsServer, natsUrl, type NatsDurability, type NatsServerOptions } from './nats-server.js';
export { freePort } from './ports.js';
export { PostgresServer, type PostgresServerOptions } from './postgres-server.js';
export type { SupervisorEvent } from './supervised-process.js';
export { Supervisor, type StartOptions } from './supervisor.js';
export type { LocalNode } from './local-node.js';
export {
  LocalStack,
  removeLocalStack,
  startLocalStack,
  type LocalStackOptions,
} from './local-stack.js';
export { SERVICES, flagsOf, type ServiceEntry, type ServiceName } from './service-table.js';
export { NATS_ADMIN } from './stores.js';
export {
  CLUSTER_VARIABLES,
  DEPLOYMENT_PASSWORDS,
  deployedClusterConfig,
  deployedNatsConfig,
} from './deployment.js';
export { kubernetesFiles } from './kubernetes/index.js';
export { stackSecrets, type StackSecrets } from './stack-secrets.js';
