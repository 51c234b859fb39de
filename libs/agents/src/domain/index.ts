export * from './agent.decider.js';
