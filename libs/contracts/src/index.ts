export * from './answers.js';
export * from './events/event-schemas.js';
export * from './readiness.view.js';
export * from './system.view.js';
export * from './views.js';
export * from './work.wire.js';
