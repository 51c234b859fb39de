export * from './run.next.js';
