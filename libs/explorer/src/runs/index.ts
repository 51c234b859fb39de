export * from './invariants.js';
export * from './rules.js';
export * from './run.model.js';
