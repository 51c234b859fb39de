const KEY_BYTES = 16;

/** A new idempotency key. `crypto.randomUUID` is there only on a secure connection, and a dashboard may be served over none. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
