export * from './agent.aggregate.js';
export * from './stored-agents.js';
export * from './stored-spawned-agents.js';
