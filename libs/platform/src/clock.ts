import type { Clock } from '#kernel';

/** The time of this machine. */
export const systemClock: Clock = { now: () => Date.now() };
