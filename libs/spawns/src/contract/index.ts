export * from './spawn-briefs.js';
export * from './spawn.contract.js';
