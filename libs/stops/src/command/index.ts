export * from './request-stop.handler.js';
export * from './stop.aggregate.js';
export * from './stops.controller.js';
