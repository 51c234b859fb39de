export * from './join-node.handler.js';
export * from './leave-node.handler.js';
export * from './node-entrance.port.js';
export * from './node.aggregate.js';
export * from './node.commands.js';
export * from './nodes.controller.js';
export * from './stored-nodes.js';
export * from './remembered-leases.js';
