export * from './run.answers.js';
export * from './run.next.js';
