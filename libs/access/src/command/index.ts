export * from './access.controller.js';
export * from './bootstrap-tokens.js';
export * from './issue-token.handler.js';
export * from './revoke-token.handler.js';
export * from './tokens.commands.js';
