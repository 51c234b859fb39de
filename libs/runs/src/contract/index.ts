export * from './run-lookup.js';
export * from './run.contract.js';
