export * from './session.decider.js';
export * from './session.events.js';
