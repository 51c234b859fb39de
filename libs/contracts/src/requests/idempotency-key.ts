/** The most characters that an idempotency key may have. Source: the protocol's bounds. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/** Printable ASCII; no space at either end, because headers are trimmed on their way. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Whether a text may name a command: 1 to 255 printable characters. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && KEY.test(key);
