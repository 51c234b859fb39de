import { useSyncExternalStore } from 'react';

/** A response's date has whole seconds, and was made some time ago: a smaller difference is none. Milliseconds. */
const SKEW_MIN_MS = 2_000;
/** How often what counts time counts on. Milliseconds. */
const TICK_MS = 1_000;

let skewMs = 0;

/** Learns from a response how far the server's clock is from this machine's: ages are told by the server's. */
export const learnServerTime = (date: string | null): void => {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const difference = at + 500 - Date.now();
  skewMs = Math.abs(difference) < SKEW_MIN_MS ? 0 : difference;
};

const serverNow = (): number => Date.now() + skewMs;

let now = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

/** One timer for all that count, however many they are. */
const watch = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  if (timer === undefined) now = serverNow();
  timer ??= setInterval(() => {
    now = serverNow();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** What time it is at the server, ms since 1970; moves on once a second. */
export const useNow = (): number => useSyncExternalStore(watch, () => now);
