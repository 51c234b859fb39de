export * from './session.invariants.js';
export * from './session.model.js';
export * from './session.rules.js';
