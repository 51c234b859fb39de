export * from './decider.js';
export * from './errors.js';
export * from './ids.js';
export * from './provenance.js';
export * from './step.js';
export * from './time.js';
