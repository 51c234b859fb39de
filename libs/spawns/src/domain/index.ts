export * from './spawn.commands.js';
export * from './spawn.decider.js';
export * from './spawn.events.js';
export * from './spawn.state.js';
