export * from './session.aggregate.js';
export * from './stored-sessions.js';
