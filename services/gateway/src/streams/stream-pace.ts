import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './event-stream.js';

/** How often the streams look for news. All in milliseconds. */
export interface StreamPace extends StreamLimits {
  /** After something was found. Rows are current within 100 ms, so a reader sees a change within 250 ms. */
  readonly pollMs: number;
  /** While a run says nothing, the pause doubles up to this. */
  readonly pollMaxMs: number;
  /** Waits, or returns early when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}
export const STREAM_PACE = Symbol('StreamPace');

export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });

export const DEFAULT_PACE: StreamPace = {
  ...DEFAULT_STREAM_LIMITS,
  pollMs: 150,
  pollMaxMs: 1_000,
  pause,
};
