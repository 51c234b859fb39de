export * from './configured.programs.js';
export * from './file.companions.js';
export * from './file.entry-journal.js';
export * from './harness.readiness.js';
export * from './node.agent.js';
export * from './ports.js';
export * from './runtime.programs.js';
