export * from './credential.aggregate.js';
export * from './stored-authenticator.js';
