export * from './configurations.js';
export * from './controls/index.js';
export * from './engine/index.js';
export * from './report.js';
