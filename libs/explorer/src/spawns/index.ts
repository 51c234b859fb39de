export * from './spawn.invariants.js';
export * from './spawn.model.js';
export * from './spawn.rules.js';
