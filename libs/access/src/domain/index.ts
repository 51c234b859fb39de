export * from './credential.decider.js';
