export type { ProcessSpec } from './child-process.js';
export { natsServerBinary, type NatsSeries, type NatsServerBinary } from './nats-binary.js';
export type { NatsPermissions, NatsUser } from './nats-config.js';
export { NatsServer, natsUrl, type NatsDurability, type NatsServerOptions } from './nats-server.js';
export { freePort } from './ports.js';
export { PostgresServer, type PostgresServerOptions } from './postgres-server.js';
export type { SupervisorEvent } from './supervised-process.js';
export { Supervisor, type StartOptions } from './supervisor.js';
