import { setTimeout as pause } from 'node:timers/promises';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { StoredAuthenticator } from '#access/authenticator';
import { AccessController, IssueTokenHandler, RevokeTokenHandler } from '#access/command';
import { AUTHENTICATOR } from '#access/contract';
import { StoredAgents, StoredSpawnedAgents } from '#agents/command';
import { AGENT_DIRECTORY, AGENT_REGISTRY, SPAWNED_AGENTS } from '#agents/contract';
import { AGGREGATE_STORE, type AggregateStore, type EventStore } from '#event-store';
import { RequestMetrics } from '#hosting';
import { CLOCK, type Clock } from '#kernel';
import {
  JoinNodeHandler,
  LeaveNodeHandler,
  NODE_ENTRANCE,
  NodeServiceController,
  NodesController,
  ServeNodeHandler,
  StoredSlots,
  type NodeEntrance,
} from '#nodes/command';
import { LEASE_READER, type LeaseReader, type LivenessAuthority } from '#nodes/contract';
import { METRICS, WORKSPACE_KEYS, type Metrics, type Windows, type WorkspaceKeys } from '#platform';
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
import { RUNS_FOR_SESSIONS } from '#runs/contract';
import { StoredSessions } from '#sessions/command';
import { SESSION_PLACES } from '#sessions/contract';
import {
  ClaimSpawnHandler,
  CreateSpawnHandler,
  NodeSpawnsController,
  ReplaySpawnHandler,
  ReportSpawnHandler,
  ResolveSpawnHandler,
  SPAWN_WRITING,
  STRICT_SPAWNS,
  SpawnWriting,
  SpawnsController,
  StoppableAgents,
  StrictInvokeHandler,
  StrictSpawnDoor,
  StrictSpawnRunner,
  type StrictSpawns,
} from '#spawns/command';
import {
  SpawnMover,
  StoredSpawns,
  newPlacementToken,
  spawnWindows,
  type SpawnLines,
} from '#spawns/saga';
import { RequestStopHandler, StopsController } from '#stops/command';
import { STOP_TARGETS, type StopTargets } from '#stops/contract';

/** What the module is built on: adapters that hold connections, and what belongs to the process. */
export interface CommandsParts {
  readonly events: Pick<EventStore, 'epoch'>;
  readonly aggregates: AggregateStore;
  readonly leases: LeaseReader;
  /** Who judges whether nodes live. */
  readonly liveness: LivenessAuthority;
  /** Puts the frames of spawns on their way. */
  readonly frames: Pick<SpawnLines, 'publishFrame'>;
  readonly windows: Windows;
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
        NodeServiceController,
        SpawnsController,
        NodeSpawnsController,
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
  ServeNodeHandler,
  StrictInvokeHandler,
  ReplaySpawnHandler,
  CreateSpawnHandler,
  ResolveSpawnHandler,
  ClaimSpawnHandler,
  ReportSpawnHandler,
];

const adaptersOf = (parts: CommandsParts): Provider[] => {
  const { aggregates, clock, nowMs } = parts;
  const writing = new RunWriting(aggregates, parts.events, clock);
  const runs = new StoredRuns(writing);
  const agents = new StoredAgents(aggregates, clock, nowMs);
  const spawns = new SpawnWriting(aggregates, parts.events, clock);
  const targets: StopTargets = { run: runs, agent: new StoppableAgents(spawns) };
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
    given(STOP_TARGETS, targets),
    given(SPAWN_WRITING, spawns),
    given(SPAWNED_AGENTS, new StoredSpawnedAgents(aggregates, clock)),
    given(STRICT_SPAWNS, strictSpawnsOf(parts, spawns)),
    given(SESSION_PLACES, new StoredSessions(aggregates, runs, clock)),
    given(LEASE_READER, parts.leases),
    given(NODE_ENTRANCE, parts.entrance),
  ];
};

/** The part of the saga that a call carries out itself, while its caller waits. It asks no nodes: that is the sagas'. */
const strictSpawnsOf = (parts: CommandsParts, spawns: SpawnWriting): StrictSpawns => {
  const { aggregates, clock, events: epochs, liveness, frames, nowMs } = parts;
  const slots = new StoredSlots(aggregates, clock);
  const windows = spawnWindows(parts.windows);
  const mover = new SpawnMover(
    {
      spawns: new StoredSpawns(aggregates),
      slots,
      agents: new StoredSpawnedAgents(aggregates, clock),
      liveness,
      lines: { ...frames, ask: () => Promise.resolve(null) },
      epochs,
      clock,
      newToken: newPlacementToken,
    },
    windows,
  );
  const door = new StrictSpawnDoor(slots, liveness);
  const runner = new StrictSpawnRunner(spawns, door, mover, { nowMs, pause });
  return { door, runner, reservationMs: windows.reservationMs };
};
