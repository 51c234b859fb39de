export * from './run.answers.js';
export * from './run.next.js';
export * from './run.performed.js';
export * from './run.ports.js';
export * from './run.saga.js';
export * from './run.step.js';
export * from './run.surroundings.js';
export * from './stored-run.ports.js';
