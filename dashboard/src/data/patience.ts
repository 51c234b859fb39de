/** How long to wait before the next attempt, by how many failed in a row. Milliseconds. */
const PAUSES_MS = [500, 1_000, 2_000] as const;
const PAUSE_MAX_MS = 3_000;

export const pauseMs = (failures: number): number => PAUSES_MS[failures] ?? PAUSE_MAX_MS;

/** Waits before the next attempt, longer the more of them failed; returns early when the signal is aborted. */
export const pauseBefore = (failures: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, pauseMs(failures));
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
