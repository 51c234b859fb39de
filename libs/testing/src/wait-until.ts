import { setTimeout as pause } from 'node:timers/promises';

/** How often a condition is looked at: often enough not to slow a test down, seldom enough for two cores. Unit: milliseconds. */
const LOOK_EVERY_MS = 5;

/**
 * Waits for a condition instead of for a time: the value, as soon as it is neither false nor undefined nor null.
 *
 * @param withinMs only a bound against hanging; a test must not rely on it being short. Default: 30 s.
 * @throws Error when the condition did not come true; names it, and what was seen last.
 */
export const waitUntil = async <T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 30_000,
): Promise<Exclude<T, false | null | undefined>> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await condition();
    if (seen !== false && seen !== undefined && seen !== null)
      return seen as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline)
      throw new Error(`waited ${withinMs} ms in vain for: ${what}; last seen: ${String(seen)}`);
    await pause(LOOK_EVERY_MS);
  }
};
