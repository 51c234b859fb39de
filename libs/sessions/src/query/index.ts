export * from './session-reader.js';
export * from './session.controller.js';
export * from './session.handler.js';
export * from './session.queries.js';
