export * from './readiness.view.js';
export * from './views.js';
export * from './work.wire.js';
