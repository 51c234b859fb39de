export * from './advance.requests.js';
export * from './client.requests.js';
export * from './idempotency-key.js';
export * from './list.requests.js';
export * from './node.requests.js';
export * from './report.requests.js';
export * from './spawn.requests.js';
export { TOKEN, UUID, utf8Bytes } from './text-rules.js';
export * from './validate.js';
