export * from './describe-event-store.js';
export type { EventStoreUnderTest } from './under-test.js';
