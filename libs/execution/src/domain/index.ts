export * from './entry.events.js';
export * from './entry.next.js';
export * from './entry.state.js';
export * from './frame.decider.js';
