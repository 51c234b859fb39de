import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { problemOf } from '#hosting';
import {
  FramePublisher,
  HoldfastNatsServer,
  UnchangedErrors,
  ensureFrameConsumer,
  frameConsumerName,
  publishFrame,
  type Backbone,
  type LeaseJudge,
} from '#nats';
import { LeaseLiveness, readVerdict, type LeaseReader } from '#nodes/contract';
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
  const leases: LeaseReader = {
    judge: async (workspace, node) => readVerdict(await judge.judge(workspace, node)),
  };
  const frames = new FramePublisher(link);
  const module = CommandsModule.over({
    events,
    aggregates,
    leases,
    liveness: new LeaseLiveness(leases, () => systemClock.now()),
    frames: { publishFrame: (frame) => publishFrame(frames, frame) },
    windows: config.windows,
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
