export * from './hint-timers.js';
export * from './keyed-advances.js';
export * from './problem-of.js';
export * from './request-context.js';
export * from './request-metrics.js';
export * from './saga.host.js';
export * from './sweeper.js';
