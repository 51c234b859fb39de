export * from './problem-of.js';
export * from './request-context.js';
