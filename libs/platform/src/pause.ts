import { setTimeout as delay } from 'node:timers/promises';

/**
 * Settles after `ms`, or at once when `signal` aborts; never rejects. Leaves nothing behind on the signal, which may live
 * as long as the process while one pause follows another.
 */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
