export * from './answers.js';
export * from './events/event-schemas.js';
export * from './readiness.view.js';
export * from './spawn.views.js';
export * from './spawn.wire.js';
export * from './system.view.js';
export * from './views.js';
export * from './work.wire.js';
