export * from './session.next.js';
export * from './session.saga.js';
