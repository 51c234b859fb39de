import { Module, type DynamicModule } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { AggregateStore, EventStore } from '#event-store';
import { RequestMetrics } from '#hosting';
import type { Clock } from '#kernel';
import { StoredSpawnedAgents } from '#agents/command';
import { RememberedLeases, RememberedNodes, StoredNodes, StoredSlots } from '#nodes/command';
import type { LeaseReader, LivenessAuthority } from '#nodes/contract';
import { METRICS, type Logger, type Metrics, type Windows } from '#platform';
import { RunWriting, StoredRuns } from '#runs/command';
import { RunSaga, RunSurroundings, StoredRunPorts, type NodeLines } from '#runs/saga';
import { StoredSessions } from '#sessions/command';
import { SessionSaga } from '#sessions/saga';
import { SpawnWriting, StoppableAgents } from '#spawns/command';
import {
  GenericSpawnPlacer,
  SpawnMover,
  SpawnSaga,
  StoredSpawns,
  newPlacementToken,
  spawnWindows,
  type NodeCatalog,
} from '#spawns/saga';
import { StopSaga } from '#stops/saga';
import { AdvanceController } from './advance.controller.js';

/** What the sagas are built on. */
export interface SagasParts {
  readonly events: Pick<EventStore, 'epoch'>;
  readonly aggregates: AggregateStore;
  readonly leases: LeaseReader;
  /** Who judges whether nodes live, for spawns. */
  readonly liveness: LivenessAuthority;
  /** Where a spawn may be placed that names no node. */
  readonly catalog: NodeCatalog;
  readonly lines: NodeLines;
  readonly windows: Windows;
  readonly clock: Clock;
  /** A clock that never goes back, ms. */
  readonly nowMs: () => number;
  readonly logger: Logger;
}

export interface Sagas {
  readonly runs: RunSaga;
  readonly sessions: SessionSaga;
  readonly stops: StopSaga;
  readonly spawns: SpawnSaga;
}

/** A node that was seen alive, and a member, is taken for it so long: a hundredth of the time in which its death must be shown. */
const aliveForMs = ({ renewalMs }: Windows): number => renewalMs / 16;

/** The sagas, wired to each other. */
export const createSagas = (parts: SagasParts): Sagas => {
  const { events, aggregates, lines, windows, clock, logger } = parts;
  const nodes = new StoredNodes(aggregates);
  const runs = new StoredRuns(new RunWriting(aggregates, events, clock));
  const places = new StoredSessions(aggregates, runs, clock);
  const leases = new RememberedLeases(parts.leases, aliveForMs(windows), parts.nowMs);
  const sessions = new SessionSaga(aggregates, runs, clock);
  const runSaga = new RunSaga(
    new StoredRunPorts(aggregates, nodes, lines, clock),
    new RunSurroundings(
      events,
      places,
      new RememberedNodes(nodes, aliveForMs(windows), parts.nowMs),
      leases,
      () => clock.now(),
    ),
    sessions,
    {
      dispatchMs: windows.dispatchMs,
      receiptMs: windows.dispatchMs,
      repeatMs: windows.repeatMs,
    },
    (err, run) => {
      logger.warn({ err, run }, 'a deadline that came led to nothing; it is looked at again');
    },
  );
  sessions.wakes(runSaga);
  const agents = new StoppableAgents(new SpawnWriting(aggregates, events, clock));
  const stops = new StopSaga(aggregates, { run: runs, agent: agents });
  return { runs: runSaga, sessions, stops, spawns: spawnSagaOf(parts) };
};

const spawnSagaOf = (parts: SagasParts): SpawnSaga => {
  const { events: epochs, aggregates, liveness, lines, windows, clock, logger } = parts;
  const ports = {
    spawns: new StoredSpawns(aggregates),
    slots: new StoredSlots(aggregates, clock),
    agents: new StoredSpawnedAgents(aggregates, clock),
    liveness,
    lines,
    epochs,
    clock,
    newToken: newPlacementToken,
  };
  const placer = new GenericSpawnPlacer(parts.catalog, ports);
  const mover = new SpawnMover(ports, spawnWindows(windows), placer);
  return new SpawnSaga(mover, ports.slots, clock, (err, spawn) => {
    logger.warn({ err, spawn }, 'a deadline that came led to nothing; it is looked at again');
  });
};

/** Answers the reconciler; what events lead to does not come in here. */
@Module({})
export class SagasModule {
  static over(sagas: Sagas, metrics: Metrics): DynamicModule {
    return {
      module: SagasModule,
      controllers: [AdvanceController],
      providers: [
        { provide: RunSaga, useValue: sagas.runs },
        { provide: SessionSaga, useValue: sagas.sessions },
        { provide: StopSaga, useValue: sagas.stops },
        { provide: SpawnSaga, useValue: sagas.spawns },
        { provide: METRICS, useValue: metrics },
        { provide: APP_INTERCEPTOR, useClass: RequestMetrics },
      ],
    };
  }
}
