export * from './explore.js';
export * from './interner.js';
export * from './model.js';
export * from './state-table.js';
export * from './words.js';
