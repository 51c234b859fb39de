export * from './stop.decider.js';
