import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { StoredAuthenticator } from '#access/authenticator';
import { AUTHENTICATOR } from '#access/contract';
import { AccessQueriesController } from '#access/query';
import { AgentQueriesController, GetAgentHandler, ListAgentsHandler } from '#agents/query';
import { EVENT_STORE, type AggregateStore, type EventStore } from '#event-store';
import { RequestMetrics } from '#hosting';
import { CLOCK, type Clock } from '#kernel';
import { LEASE_READER, NODE_BRIEFS, type LeaseReader } from '#nodes/contract';
import {
  GetNodeHandler,
  ListNodesHandler,
  NodeQueriesController,
  NodeViews,
  ReadNodeBriefs,
} from '#nodes/query';
import { METRICS, type Metrics } from '#platform';
import { Database } from '#postgres';
import { RUN_LOOKUP } from '#runs/contract';
import {
  GetOutputHandler,
  GetRunHandler,
  GetTimelineHandler,
  ListOldestOpenRunsHandler,
  ListRunsHandler,
  OUTPUT_SOURCE,
  ReadRunLookup,
  RunQueriesController,
  RunReader,
  RunViews,
  type OutputSource,
} from '#runs/query';
import { SESSION_QUEUES } from '#sessions/contract';
import { GetSessionHandler, SessionQueriesController, SessionReader } from '#sessions/query';
import { AGENT_STOPS, SPAWN_BRIEFS } from '#spawns/contract';
import {
  GetSpawnHandler,
  GetSpawnTimelineHandler,
  ListSpawnsHandler,
  ReadAgentStops,
  SpawnQueriesController,
  SpawnReader,
  SpawnViews,
} from '#spawns/query';
import { GetStopHandler, StopQueriesController } from '#stops/query';
import { ListChangesHandler } from './changes.handler.js';
import { HealthController } from './health.controller.js';
import { ProjectionPositions } from './projection-positions.js';
import { ListProjectionsHandler } from './projections.handler.js';
import { ReadModelsController } from './read-models.controller.js';
import { SystemController } from './system.controller.js';
import { SYSTEM_PORTS, SystemReader, type SystemPorts } from './system.reader.js';
import { UnknownsController } from './unknowns.controller.js';

/** What the module is built on: adapters that hold connections, and what belongs to the process. */
export interface QueriesParts {
  readonly events: EventStore;
  readonly aggregates: AggregateStore;
  readonly database: Database;
  readonly leases: LeaseReader;
  readonly output: OutputSource;
  readonly system: SystemPorts;
  readonly clock: Clock;
  /** A clock that never goes back, ms. */
  readonly nowMs: () => number;
  readonly metrics: Metrics;
}

/** Answers questions: from the read models, and from the streams where those are the authority. It changes nothing. */
@Module({})
export class QueriesModule {
  static over(parts: QueriesParts): DynamicModule {
    return {
      module: QueriesModule,
      imports: [CqrsModule.forRoot()],
      controllers: [
        RunQueriesController,
        SpawnQueriesController,
        SessionQueriesController,
        AgentQueriesController,
        NodeQueriesController,
        StopQueriesController,
        AccessQueriesController,
        UnknownsController,
        ReadModelsController,
        HealthController,
        SystemController,
      ],
      providers: [
        ...adaptersOf(parts),
        ...READERS,
        ...HANDLERS,
        { provide: APP_INTERCEPTOR, useClass: RequestMetrics },
      ],
    };
  }
}

const HANDLERS: Provider[] = [
  ListRunsHandler,
  ListOldestOpenRunsHandler,
  GetRunHandler,
  GetTimelineHandler,
  GetOutputHandler,
  ListSpawnsHandler,
  GetSpawnHandler,
  GetSpawnTimelineHandler,
  GetSessionHandler,
  ListAgentsHandler,
  GetAgentHandler,
  ListNodesHandler,
  GetNodeHandler,
  GetStopHandler,
  ListProjectionsHandler,
  ListChangesHandler,
];

/** What slices show of themselves to each other. */
const READERS: Provider[] = [
  RunReader,
  RunViews,
  ReadRunLookup,
  SessionReader,
  NodeViews,
  ReadNodeBriefs,
  SpawnReader,
  SpawnViews,
  ProjectionPositions,
  SystemReader,
  { provide: RUN_LOOKUP, useExisting: ReadRunLookup },
  { provide: SESSION_QUEUES, useExisting: SessionReader },
  { provide: NODE_BRIEFS, useExisting: ReadNodeBriefs },
  { provide: SPAWN_BRIEFS, useExisting: SpawnReader },
  ReadAgentStops,
  { provide: AGENT_STOPS, useExisting: ReadAgentStops },
];

const adaptersOf = (parts: QueriesParts): Provider[] => {
  const { aggregates, nowMs } = parts;
  return [
    { provide: EVENT_STORE, useValue: parts.events },
    { provide: Database, useValue: parts.database },
    { provide: LEASE_READER, useValue: parts.leases },
    { provide: OUTPUT_SOURCE, useValue: parts.output },
    { provide: SYSTEM_PORTS, useValue: parts.system },
    { provide: CLOCK, useValue: parts.clock },
    { provide: METRICS, useValue: parts.metrics },
    { provide: AUTHENTICATOR, useValue: new StoredAuthenticator(aggregates, nowMs) },
  ];
};
