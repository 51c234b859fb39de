import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { problemOf, type WireProblem } from '#hosting';
import type { SystemWindowsView } from '#contracts';
import {
  BrokerLook,
  HoldfastNatsServer,
  OutputReader,
  UnchangedErrors,
  type Backbone,
  type LeaseJudge,
} from '#nats';
import { readVerdict } from '#nodes/contract';
import { nestLogger, systemClock, type Logger, type Metrics, type ServiceConfig } from '#platform';
import { DatabaseUnavailable, type Database } from '#postgres';
import { QueriesModule } from './queries.module.js';

/** What the service is built on. */
export interface QueriesAppParts {
  readonly backbone: Pick<Backbone, 'link' | 'events' | 'aggregates'>;
  readonly judge: Pick<LeaseJudge, 'judge'>;
  readonly database: Database;
  readonly config: Pick<ServiceConfig, 'service' | 'windows'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The service, not listening yet. */
export const createQueriesApp = async (parts: QueriesAppParts): Promise<INestMicroservice> => {
  const { backbone, judge, database, config, logger, metrics } = parts;
  const { link, events, aggregates } = backbone;
  const skipped = metrics.counter(
    'output_messages_skipped_total',
    'Messages that were met among the output of runs and are none, once for each time they were met.',
    [],
  );
  const module = QueriesModule.over({
    events,
    aggregates,
    database,
    leases: {
      judge: async (workspace, node) => readVerdict(await judge.judge(workspace, node)),
    },
    output: new OutputReader(link, { onSkipped: () => skipped.inc() }),
    system: {
      broker: new BrokerLook(link),
      windows: windowsOf(config),
      onProblem: (part, err) => {
        logger.warn({ err, part }, 'a part of the system could not be looked at');
      },
    },
    clock: systemClock,
    nowMs: () => performance.now(),
    metrics,
  });
  const strategy = new HoldfastNatsServer({
    link,
    service: config.service,
    toProblem,
    onUnexpected: (err, subject) => {
      logger.error({ err, subject }, 'a request failed unexpectedly');
    },
  });
  const app = await NestFactory.createMicroservice(
    module,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares options as a class, and takes plain objects.
    { logger: nestLogger(logger), strategy },
  );
  app.useGlobalFilters(new UnchangedErrors());
  return app;
};

const windowsOf = ({ windows }: Pick<ServiceConfig, 'windows'>): SystemWindowsView => {
  const { leaseMs, renewalMs, dispatchMs, sweepMs, ackWaitMs } = windows;
  return { leaseMs, renewalMs, dispatchMs, sweepMs, ackWaitMs };
};

const toProblem = (error: unknown): WireProblem | undefined =>
  error instanceof DatabaseUnavailable
    ? { code: 'unavailable', message: 'the read models can not be read now', retryable: true }
    : problemOf(error);
