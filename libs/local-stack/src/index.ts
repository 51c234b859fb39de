export { natsServerBinary, type NatsSeries, type NatsServerBinary } from './nats-binary.js';
export type { NatsPermissions, NatsUser } from './nats-config.js';
export { NatsServer, natsUrl, type NatsDurability, type NatsServerOptions } from './nats-server.js';
export { freePort } from './ports.js';
