import { RuleViolation } from '#kernel';

/** The most characters that an idempotency key may have. Source: the protocol's bounds. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/** Printable ASCII; no space at either end, because headers are trimmed on their way. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Whether a text may name a command: 1 to 255 printable characters. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && KEY.test(key);

/**
 * The key of a command, as its header had it.
 *
 * @throws RuleViolation `idempotency_key_required` when it is missing, `invalid_idempotency_key` when it can't be one.
 */
export const acceptKey = (key: string | undefined): string => {
  if (key === undefined || key === '')
    throw new RuleViolation(
      'idempotency_key_required',
      {},
      'every command needs an Idempotency-Key',
    );
  if (!isIdempotencyKey(key))
    throw new RuleViolation(
      'invalid_idempotency_key',
      {},
      'an Idempotency-Key has 1 to 255 printable ASCII characters',
    );
  return key;
};
