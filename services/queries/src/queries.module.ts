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
import { LEASE_READER, type LeaseReader } from '#nodes/contract';
import { GetNodeHandler, ListNodesHandler, NodeQueriesController } from '#nodes/query';
import { METRICS, type Metrics } from '#platform';
import { Database } from '#postgres';
import { RUN_LOOKUP } from '#runs/contract';
import {
  GetOutputHandler,
  GetRunHandler,
  GetTimelineHandler,
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
import { GetStopHandler, StopQueriesController } from '#stops/query';
import { ChangesController } from './changes.controller.js';
import { HealthController } from './health.controller.js';
import { ProjectionPositions } from './projection-positions.js';
import { ProjectionsController } from './projections.controller.js';

/** What the module is built on; chosen in `main.ts`. */
export interface QueriesParts {
  readonly database: Database;
  readonly events: EventStore;
  readonly aggregates: AggregateStore;
  readonly leases: LeaseReader;
  readonly output: OutputSource;
  readonly clock: Clock;
  /** A clock that never goes back, ms. */
  readonly nowMs: () => number;
  readonly metrics: Metrics;
}

/** Answers what callers ask: from rows, and from streams where rows are late. */
@Module({})
export class QueriesModule {
  static over(parts: QueriesParts): DynamicModule {
    return {
      module: QueriesModule,
      imports: [CqrsModule.forRoot()],
      controllers: [
        RunQueriesController,
        SessionQueriesController,
        AgentQueriesController,
        NodeQueriesController,
        StopQueriesController,
        AccessQueriesController,
        ProjectionsController,
        ChangesController,
        HealthController,
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

const READERS: Provider[] = [
  RunReader,
  RunViews,
  SessionReader,
  ProjectionPositions,
  { provide: RUN_LOOKUP, useClass: ReadRunLookup },
  { provide: SESSION_QUEUES, useExisting: SessionReader },
];

const HANDLERS: Provider[] = [
  ListRunsHandler,
  GetRunHandler,
  GetTimelineHandler,
  GetOutputHandler,
  GetSessionHandler,
  ListAgentsHandler,
  GetAgentHandler,
  ListNodesHandler,
  GetNodeHandler,
  GetStopHandler,
];

const adaptersOf = (parts: QueriesParts): Provider[] => {
  const given = (provide: symbol | typeof Database, useValue: unknown): Provider => ({
    provide,
    useValue,
  });
  return [
    given(Database, parts.database),
    given(EVENT_STORE, parts.events),
    given(AUTHENTICATOR, new StoredAuthenticator(parts.aggregates, parts.nowMs)),
    given(LEASE_READER, parts.leases),
    given(OUTPUT_SOURCE, parts.output),
    given(CLOCK, parts.clock),
    given(METRICS, parts.metrics),
  ];
};
