export * from './run.commands.js';
export * from './run.decider.js';
export * from './run.events.js';
export * from './run.state.js';
