import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { StoredAuthenticator } from '#access/authenticator';
import { AccessController, IssueTokenHandler, RevokeTokenHandler } from '#access/command';
import { AUTHENTICATOR } from '#access/contract';
import { StoredAgents } from '#agents/command';
import { AGENT_DIRECTORY, AGENT_REGISTRY } from '#agents/contract';
import { AGGREGATE_STORE, type AggregateStore, type EventStore } from '#event-store';
import { RequestMetrics } from '#hosting';
import { CLOCK, type Clock } from '#kernel';
import {
  JoinNodeHandler,
  LeaveNodeHandler,
  NODE_ENTRANCE,
  NodesController,
  type NodeEntrance,
} from '#nodes/command';
import { LEASE_READER, type LeaseReader } from '#nodes/contract';
import { METRICS, WORKSPACE_KEYS, type Metrics, type WorkspaceKeys } from '#platform';
import {
  ClaimRunHandler,
  NodeRunsController,
  RUN_WRITING,
  ReportRunHandler,
  ResolveRunHandler,
  RunWriting,
  RunsController,
  StoredRuns,
  SubmitRunHandler,
} from '#runs/command';
import { RUNS_FOR_SESSIONS, STOPPABLE_RUNS } from '#runs/contract';
import { StoredSessions } from '#sessions/command';
import { SESSION_PLACES } from '#sessions/contract';
import { RequestStopHandler, StopsController } from '#stops/command';

/** What the module is built on: adapters that hold connections, and what belongs to the process. */
export interface CommandsParts {
  readonly events: Pick<EventStore, 'epoch'>;
  readonly aggregates: AggregateStore;
  readonly leases: LeaseReader;
  readonly entrance: NodeEntrance;
  readonly keys: WorkspaceKeys;
  readonly clock: Clock;
  /** A clock that never goes back, ms. */
  readonly nowMs: () => number;
  readonly metrics: Metrics;
}

/** Takes commands of clients and reports of nodes: load, decide, append. */
@Module({})
export class CommandsModule {
  static over(parts: CommandsParts): DynamicModule {
    return {
      module: CommandsModule,
      imports: [CqrsModule.forRoot()],
      controllers: [
        RunsController,
        NodeRunsController,
        StopsController,
        AccessController,
        NodesController,
      ],
      providers: [
        ...adaptersOf(parts),
        ...HANDLERS,
        { provide: APP_INTERCEPTOR, useClass: RequestMetrics },
      ],
    };
  }
}

const HANDLERS: Provider[] = [
  SubmitRunHandler,
  ResolveRunHandler,
  ClaimRunHandler,
  ReportRunHandler,
  RequestStopHandler,
  IssueTokenHandler,
  RevokeTokenHandler,
  JoinNodeHandler,
  LeaveNodeHandler,
];

const adaptersOf = (parts: CommandsParts): Provider[] => {
  const { aggregates, clock, nowMs } = parts;
  const writing = new RunWriting(aggregates, parts.events, clock);
  const runs = new StoredRuns(writing);
  const agents = new StoredAgents(aggregates, clock, nowMs);
  const given = (provide: symbol, useValue: unknown): Provider => ({ provide, useValue });
  return [
    given(AGGREGATE_STORE, aggregates),
    given(CLOCK, clock),
    given(WORKSPACE_KEYS, parts.keys),
    given(METRICS, parts.metrics),
    given(AUTHENTICATOR, new StoredAuthenticator(aggregates, nowMs)),
    given(AGENT_DIRECTORY, agents),
    given(AGENT_REGISTRY, agents),
    given(RUN_WRITING, writing),
    given(RUNS_FOR_SESSIONS, runs),
    given(STOPPABLE_RUNS, runs),
    given(SESSION_PLACES, new StoredSessions(aggregates, runs, clock)),
    given(LEASE_READER, parts.leases),
    given(NODE_ENTRANCE, parts.entrance),
  ];
};
