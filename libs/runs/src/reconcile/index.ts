export * from './node-watch.js';
export * from './open-runs.js';
export * from './open-runs.typeorm.js';
export * from './run.plan.js';
export * from './run.reconciler.js';
