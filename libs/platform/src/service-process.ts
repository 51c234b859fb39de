import { tracing } from '#tracing';
import { HealthServer } from './health-server.js';
import { createLogger, type Logger } from './logging.js';
import { Metrics } from './metrics.js';
import { ReadinessBoard } from './readiness.js';
import { runFile, type ServiceConfig } from './service-config.js';
import { crashOnUnexpected, drainOnSignal } from './shutdown.js';

/** Spans, where the environment asks for them. What goes wrong with them is said in the log, and is no reason to stop. */
export const startTracing = (
  config: Pick<ServiceConfig, 'tracing' | 'service' | 'instance'>,
  logger: Logger,
): Promise<void> =>
  tracing.start(config.tracing, config, (problem) => {
    logger.warn({ problem }, 'tracing');
  });

/** What every process of a service has before it can do anything: a log, metrics, and a way to be looked at. */
export class ServiceProcess {
  readonly readiness = new ReadinessBoard();
  private standing = 'starting';

  private constructor(
    readonly logger: Logger,
    readonly metrics: Metrics,
  ) {
    this.readiness.set('start', () => ({
      ok: this.standing === 'serving',
      detail: this.standing,
    }));
  }

  /** Opens the log and the port to look at; the process is alive from now on, and not ready. */
  static async begin(
    config: ServiceConfig,
  ): Promise<{ readonly process: ServiceProcess; readonly health: HealthServer }> {
    const logger = createLogger(config);
    crashOnUnexpected(logger);
    await startTracing(config, logger);
    const begun = new ServiceProcess(logger, new Metrics(config.service));
    const health = await HealthServer.start({
      host: config.metricsHost,
      port: config.metricsPort,
      portFile: runFile(config, 'port'),
      readiness: begun.readiness,
      metrics: begun.metrics,
    });
    return { process: begun, health };
  }

  /** It can't serve yet, and tries again. */
  waitsFor(why: unknown): void {
    this.standing = why instanceof Error ? why.message : 'waiting';
    this.logger.error({ err: why }, 'can not serve yet');
  }

  /**
   * It serves, until it is told to end.
   *
   * @param about said in the log, once.
   * @param drain stops taking work, finishes what is begun, closes.
   */
  serves(about: object, drain: () => Promise<void>): void {
    this.standing = 'serving';
    this.logger.info(about, 'serving');
    drainOnSignal(async () => {
      this.readiness.leave();
      await drain();
      await tracing.stop();
    }, this.logger);
  }
}
