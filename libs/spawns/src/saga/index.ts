export * from './spawn.step.js';
export * from './strict-spawn.next.js';
