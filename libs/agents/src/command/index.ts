export * from './agent.aggregate.js';
export * from './stored-agents.js';
