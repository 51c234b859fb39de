export * from './stop.controller.js';
export * from './stop.handler.js';
export * from './stop.queries.js';
