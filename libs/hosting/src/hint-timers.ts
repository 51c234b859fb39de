/** How many hints are kept at a time. One more is left out: the reconciler finds what is due anyway. */
const HINTS_MAX = 1_000;
/** Hints further away are left to the reconciler, ms. */
const AHEAD_MAX_MS = 60_000;

/**
 * Wakes aggregates at deadlines that this process happens to know of. Never the truth: the deadline is in the state, and
 * the reconciler finds it there when this process is gone.
 */
export class HintTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  /** @param wake called once per hint; must not throw. */
  constructor(private readonly wake: (key: string) => void) {}

  /** Replaces the hint of this key. */
  set(key: string, inMs: number): void {
    this.cancel(key);
    if (inMs > AHEAD_MAX_MS || this.timers.size >= HINTS_MAX) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(key);
        this.wake(key);
      },
      Math.max(0, inMs),
    );
    timer.unref();
    this.timers.set(key, timer);
  }

  cancel(key: string): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
  }

  clear(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
