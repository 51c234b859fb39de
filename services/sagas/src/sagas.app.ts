import { NestFactory } from '@nestjs/core';
import type { Commit, EventFeed, SubscriptionFeed } from '#event-store';
import { SagaHost, problemOf } from '#hosting';
import {
  FramePublisher,
  HoldfastNatsServer,
  RequestClient,
  SAGAS,
  UnchangedErrors,
  type Backbone,
  type LeaseJudge,
} from '#nats';
import { LeaseLiveness, readVerdict, type LeaseReader } from '#nodes/contract';
import {
  nestLogger,
  systemClock,
  type Logger,
  type Metrics,
  type ReadinessBoard,
  type ServiceConfig,
} from '#platform';
import type { SessionEvent } from '#sessions/domain';
import { FollowedNodes } from './followed-nodes.js';
import { NatsNodeLines } from './nats.node-lines.js';
import { SagasModule, createSagas, type Sagas } from './sagas.module.js';

/** What the service is built on. */
export interface SagasAppParts {
  readonly backbone: Pick<Backbone, 'link' | 'events' | 'aggregates'>;
  readonly judge: Pick<LeaseJudge, 'judge'>;
  readonly feed: SubscriptionFeed;
  /** The stream from its beginning, for what this process keeps in mind of nodes. */
  readonly stream: EventFeed;
  readonly config: Pick<ServiceConfig, 'service' | 'windows'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: ReadinessBoard;
}

export interface SagasApp {
  /** Takes commits and requests from now on. */
  start(): Promise<void>;
  /** Takes nothing more, finishes what is begun. */
  stop(): Promise<void>;
}

/** Each saga's durable name, the aggregate that it follows, and what it does with a commit. */
const subscriptionsOf = ({ runs, sessions, stops, spawns }: Sagas) =>
  [
    {
      ...SAGAS.runs,
      handle: (commit: Commit) => runs.onCommit(commit),
    },
    {
      ...SAGAS.sessions,
      handle: ({ ref, events, revision }: Commit) =>
        sessions.onCommit(ref.workspace, ref.id, events as readonly SessionEvent[], revision),
    },
    {
      ...SAGAS.stops,
      handle: ({ ref }: Commit) => stops.advance(ref.workspace, ref.id),
    },
    {
      ...SAGAS.spawns,
      handle: (commit: Commit) => spawns.onCommit(commit),
    },
    {
      ...SAGAS.agents,
      handle: (commit: Commit) => spawns.onAgent(commit),
    },
    {
      ...SAGAS.nodes,
      handle: (commit: Commit) => spawns.onNode(commit),
    },
  ] as const;

export const createSagasApp = async (parts: SagasAppParts): Promise<SagasApp> => {
  const { backbone, judge, feed, stream, config, logger, metrics, readiness } = parts;
  const { link, events, aggregates } = backbone;
  const { windows } = config;
  const leases: LeaseReader = {
    judge: async (workspace, node) => readVerdict(await judge.judge(workspace, node)),
  };
  const nodes = new FollowedNodes(stream, (err) => {
    logger.error(
      { err },
      'nodes are not followed any more: spawns that name none find no new ones',
    );
  });
  readiness.set('nodes', () => ({ ok: nodes.isFollowing }));
  const sagas = createSagas({
    events,
    aggregates,
    leases,
    liveness: new LeaseLiveness(leases, () => systemClock.now()),
    catalog: nodes,
    lines: new NatsNodeLines(new FramePublisher(link), new RequestClient(link), windows),
    windows,
    clock: systemClock,
    nowMs: () => performance.now(),
    logger,
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
    SagasModule.over(sagas, metrics),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares options as a class, and takes plain objects.
    { logger: nestLogger(logger), strategy },
  );
  app.useGlobalFilters(new UnchangedErrors());
  const hosts = subscriptionsOf(sagas).map(
    (subscription) => new SagaHost(feed, { ...subscription, logger, metrics, readiness }),
  );
  return {
    start: async () => {
      nodes.start();
      await app.listen();
      await Promise.all(hosts.map((host) => host.start()));
    },
    stop: async () => {
      await Promise.all([app.close(), ...hosts.map((host) => host.stop())]);
      await Promise.all([sagas.runs.stop(), sagas.sessions.stop(), sagas.spawns.stop()]);
      await nodes.stop();
    },
  };
};
