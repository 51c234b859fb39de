export * from './node.controller.js';
export * from './node.handlers.js';
export * from './node.queries.js';
export * from './node-views.js';
export * from './read-node-briefs.js';
