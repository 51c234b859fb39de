export { natsServerBinary, type NatsSeries, type NatsServerBinary } from './nats-binary.js';
