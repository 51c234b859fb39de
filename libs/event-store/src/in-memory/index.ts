export * from './in-memory-event-store.js';
export * from './in-memory-feeds.js';
export * from './leader-ahead.js';
