import type { NatsLink } from './connection.js';
import { isPassing } from './publish-answer.js';

/**
 * Tries an action again while the broker is starting, electing or away.
 *
 * @param budgetMs how long, in all. The last error is thrown when it is spent.
 */
export const patiently = async <T>(
  link: NatsLink,
  budgetMs: number,
  action: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + budgetMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await link.whenConnected(deadline - performance.now());
      return await action();
    } catch (error) {
      const pauseMs = Math.min(20 * 2 ** attempt, 500);
      if (!isPassing(error) || performance.now() + pauseMs > deadline) throw error;
      await sleep(pauseMs);
    }
  }
};

/** Resolves after `ms`, or as soon as the signal aborts. */
export const sleep = async (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, Math.max(0, ms));
    signal?.addEventListener('abort', finish);
  });
