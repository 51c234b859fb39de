export * from './file.companions.js';
export * from './node.agent.js';
export * from './ports.js';
export * from './runtime.programs.js';
