import '@nats-io/transport-node';
export * from './permissions.js';
