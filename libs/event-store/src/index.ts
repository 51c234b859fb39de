export * from './aggregate-store.js';
export * from './commit-body.js';
export * from './epoch.js';
export * from './port/aggregate-store.js';
export * from './port/errors.js';
export * from './port/event-store.js';
export * from './ref.js';
