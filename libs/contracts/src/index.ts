export * from './views.js';
export * from './work.wire.js';
