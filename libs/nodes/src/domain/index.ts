export * from './node-id.decider.js';
export * from './node.decider.js';
export * from './node.events.js';
export * from './slot.decider.js';
export * from './slot.state.js';
