export * from './crash-at.js';
export * from './decider-spec.js';
export * from './lossy-proxy.js';
export * from './nats-frames.js';
export * from './nats-server-under-test.js';
export * from './postgres-under-test.js';
export * from './span-receiver.js';
export * from './wait-until.js';
