export * from './run.contract.js';
