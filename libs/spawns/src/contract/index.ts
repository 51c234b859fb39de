export * from './spawn.contract.js';
