/** A moment: whole milliseconds since 1970-01-01T00:00:00Z. Serialised over HTTP as RFC 3339 with milliseconds. */
export type Instant = number & { readonly __brand?: 'Instant' };

/** The one way to learn the time. Shells hold one; pure code is given an {@link Instant}. */
export interface Clock {
  now(): Instant;
}
export const CLOCK = Symbol('Clock');
