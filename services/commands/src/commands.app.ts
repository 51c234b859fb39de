import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { problemOf } from '#hosting';
import {
  HoldfastNatsServer,
  UnchangedErrors,
  ensureFrameConsumer,
  frameConsumerName,
  type Backbone,
  type LeaseJudge,
} from '#nats';
import { readVerdict } from '#nodes/contract';
import {
  nestLogger,
  systemClock,
  type Logger,
  type Metrics,
  type ServiceConfig,
  type WorkspaceKeys,
} from '#platform';
import { CommandsModule } from './commands.module.js';

/** What the service is built on. */
export interface CommandsAppParts {
  readonly backbone: Pick<Backbone, 'link' | 'events' | 'aggregates'>;
  readonly judge: Pick<LeaseJudge, 'judge'>;
  readonly config: Pick<ServiceConfig, 'service' | 'windows'>;
  readonly keys: WorkspaceKeys;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The service, not listening yet. */
export const createCommandsApp = async (parts: CommandsAppParts): Promise<INestMicroservice> => {
  const { backbone, judge, config, keys, logger, metrics } = parts;
  const { link, events, aggregates } = backbone;
  const module = CommandsModule.over({
    events,
    aggregates,
    leases: {
      judge: async (workspace, node) => readVerdict(await judge.judge(workspace, node)),
    },
    entrance: {
      epoch: () => events.epoch(),
      ensureFrameConsumer: async (workspace, node) => {
        await ensureFrameConsumer(link, workspace, node, config.windows);
        return frameConsumerName(workspace, node);
      },
    },
    keys,
    clock: systemClock,
    nowMs: () => performance.now(),
    metrics,
  });
  const strategy = new HoldfastNatsServer({
    link,
    service: config.service,
    toProblem: problemOf,
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
