import type { Logger } from './logging.js';

/** How long a process may take to finish what it has begun. Source: the protocol's bound for agents, the same here. */
export const DRAIN_MAX_MS = 10_000;

/**
 * Ends the process in order at SIGTERM or SIGINT: exit code 0 when it finished what it had begun in time, else 1.
 *
 * @param drain stops taking work, finishes what is begun, closes. Called once.
 */
export const drainOnSignal = (drain: () => Promise<void>, logger: Logger): void => {
  let isDraining = false;
  const begin = (signal: string): void => {
    if (isDraining) return;
    isDraining = true;
    logger.info({ signal }, 'draining');
    const late = setTimeout(() => {
      logger.error({ drainMaxMs: DRAIN_MAX_MS }, 'did not finish in time');
      process.exit(1);
    }, DRAIN_MAX_MS);
    drain().then(
      () => {
        clearTimeout(late);
        process.exit(0);
      },
      (err: unknown) => {
        logger.error({ err }, 'could not end in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
};

/** An error that nothing expected leaves the memory of the process in doubt: it says so, and ends. */
export const crashOnUnexpected = (logger: Logger): void => {
  const crash = (what: string) => (err: unknown) => {
    logger.fatal({ err }, what);
    process.exit(70); // EX_SOFTWARE
  };
  process.on('uncaughtException', crash('uncaught exception'));
  process.on('unhandledRejection', crash('unhandled rejection'));
};
