export * from './agent.controller.js';
export * from './agent.handlers.js';
export * from './agent.queries.js';
