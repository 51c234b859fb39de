export * from './stop.saga.js';
