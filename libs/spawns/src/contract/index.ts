export * from './agent-stops.js';
export * from './spawn-briefs.js';
export * from './spawn.contract.js';
