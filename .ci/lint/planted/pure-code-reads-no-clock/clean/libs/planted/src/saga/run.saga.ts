/** A shell may hold the clock. */
export const clock = { now: () => Date.now() };
