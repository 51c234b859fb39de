export * from './problem-of.js';
export * from './request-context.js';
export * from './request-metrics.js';
export * from './sweeper.js';
