/** Where a verb reads and writes; the real one is the process's, a test's is in memory. */
export interface Io {
  /** What `--version` prints. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** What was asked for: tables, JSON, a run's output. */
  readonly out: Sink;
  /** Progress and complaints, so that `out` can be piped. */
  readonly err: Sink;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the user presses Ctrl-C. */
  readonly interrupted: AbortSignal;
  readonly patience: Patience;
}

export interface Sink {
  readonly isTerminal: boolean;
  write(text: string | Uint8Array): void;
}

/** How long the command line waits for a server that does not answer. All in milliseconds. */
export interface Patience {
  /** One HTTP request, from connecting to the last byte of its answer. */
  readonly requestMs: number;
  /** All attempts of one command or query together. */
  readonly retryForMs: number;
  /** The first pause between two attempts; it doubles up to {@link Patience.pauseMaxMs}. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
  /** How often a run that is waited for is looked at. */
  readonly pollMs: number;
  /** How long a settled run's last output is waited for. */
  readonly lastOutputMs: number;
}

/**
 * The gateway answers a command within 10 s even when its own first attempts fail, so a request gets 15 s; a stack that
 * was killed and started again is back in less than 30 s.
 */
export const PATIENCE: Patience = {
  requestMs: 15_000,
  retryForMs: 30_000,
  pauseMs: 200,
  pauseMaxMs: 2_000,
  pollMs: 400,
  lastOutputMs: 5_000,
};

/** Waits, or returns early when `signal` is aborted. */
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
