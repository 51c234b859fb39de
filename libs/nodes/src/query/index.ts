export * from './node.controller.js';
export * from './node.handlers.js';
export * from './node.queries.js';
