export * from './session.next.js';
