/** JSON that may stand in an error or an event. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * What was asked must not happen, and nothing was written.
 *
 * Raised by deciders. Never retried: the caller must change the request. `code` is stable and may be matched on.
 */
export class RuleViolation extends Error {
  override readonly name = 'RuleViolation';
  constructor(
    readonly code: string,
    readonly details: { readonly [key: string]: Json } = {},
    message: string = code,
  ) {
    super(message);
  }
}

/** An invariant that this code itself keeps was broken. The process must crash: its memory can't be trusted. */
export const bug = (what: string): Error => new Error(`bug: ${what}`);

/** Makes a switch exhaustive where the compiler alone can't: a value that no case names is a bug. */
export const unreachable = (value: never): never => {
  throw bug(`no case for ${JSON.stringify(value)}`);
};
