import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type {
  BrokerView,
  DatabaseView,
  Found,
  HolderView,
  ReadSideSystemView,
  SagaView,
  SystemWindowsView,
} from '#contracts';
import { PAGE_SIZE, PageQuery, accept, validate } from '#contracts/requests';
import { StoreUnavailable } from '#event-store';
import type { WorkspaceId } from '#kernel';
import { SAGAS, type BrokerLook } from '#nats';
import { ListNodes } from '#nodes/query';
import { Database, DatabaseUnavailable, holdersOf, projectionLockName } from '#postgres';
import { ListOldestOpenRuns } from '#runs/query';
import { RUNS_SWEEP } from '#runs/reconcile';
import { SPAWNS_SWEEP } from '#spawns/reconcile';
import { ProjectionPositions } from './projection-positions.js';

/** What the process is told, and what it looks with. */
export interface SystemPorts {
  readonly broker: Pick<BrokerLook, 'serverVersion' | 'roundTripMs' | 'streams' | 'progressOf'>;
  readonly windows: SystemWindowsView;
  /** Told of what could not be looked at. */
  readonly onProblem: (part: string, problem: unknown) => void;
}
export const SYSTEM_PORTS = Symbol('SystemPorts');

/** How long one part may take, ms: what does not answer must not hide what does. */
const PART_MAX_MS = 1_500;

/** Looks at every part of the system by itself, all at the same time. */
@Injectable()
export class SystemReader {
  private readonly looking = new Map<WorkspaceId, Promise<ReadSideSystemView>>();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ProjectionPositions) private readonly positions: ProjectionPositions,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(SYSTEM_PORTS) private readonly ports: SystemPorts,
  ) {}

  /** Never throws. Those who ask while somebody of the same workspace is being answered get the same answer. */
  look(workspace: WorkspaceId): Promise<ReadSideSystemView> {
    const present = this.looking.get(workspace);
    if (present !== undefined) return present;
    const view = this.lookNow(workspace).finally(() => this.looking.delete(workspace));
    this.looking.set(workspace, view);
    return view;
  }

  private async lookNow(workspace: WorkspaceId): Promise<ReadSideSystemView> {
    const [projections, holders, sagas, nodes, broker, database, oldestRuns] = await Promise.all([
      this.found('projections', this.positions.all()),
      this.found('holders', this.holders()),
      this.found('sagas', this.sagas()),
      this.found('nodes', this.nodes(workspace)),
      this.found('broker', this.broker()),
      this.found('database', this.databaseNow()),
      this.found('oldestRuns', this.queries.execute(new ListOldestOpenRuns(workspace))),
    ]);
    const windows = { value: this.ports.windows, why: null };
    return { windows, projections, holders, sagas, nodes, broker, database, oldestRuns };
  }

  private async holders(): Promise<readonly HolderView[]> {
    const names = (await this.positions.names()).map((of) => ({
      role: 'projector' as const,
      of,
      lock: projectionLockName({ name: of }),
    }));
    const sweeps = [
      { role: 'reconciler' as const, of: 'runs', lock: RUNS_SWEEP },
      { role: 'reconciler' as const, of: 'spawns', lock: SPAWNS_SWEEP },
    ];
    const all = [...names, ...sweeps];
    const held = await this.database.read((source) =>
      holdersOf(
        { query: (text) => source.query(text) },
        all.map(({ lock }) => lock),
      ),
    );
    return all.map(({ role, of, lock }) => {
      const { holder = null, heardMsAgo = null } = held.get(lock) ?? {};
      return { role, of, holder, heardMsAgo };
    });
  }

  private async sagas(): Promise<readonly SagaView[]> {
    const asked = Object.entries(SAGAS).map(async ([name, consumer]) => {
      const { oldestStoredAt, ...progress } = await this.ports.broker.progressOf(consumer);
      const oldestMs = oldestStoredAt === undefined ? 0 : Math.max(0, Date.now() - oldestStoredAt);
      return { name, ...progress, oldestMs };
    });
    return Promise.all(asked);
  }

  private async nodes(workspace: WorkspaceId) {
    const { items } = await this.queries.execute(
      new ListNodes(workspace, accept(validate(PageQuery, { limit: PAGE_SIZE.max }))),
    );
    return items;
  }

  private async broker(): Promise<BrokerView> {
    const { broker } = this.ports;
    const [roundTripMs, streams] = await Promise.all([broker.roundTripMs(), broker.streams()]);
    return { serverVersion: broker.serverVersion, roundTripMs, streams };
  }

  private async databaseNow(): Promise<DatabaseView> {
    const startedMs = performance.now();
    await this.database.read((source) => source.query('SELECT 1'));
    return { roundTripMs: Math.round(performance.now() - startedMs) };
  }

  private async found<Value>(part: string, asking: Promise<Value>): Promise<Found<Value>> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NoAnswerInTime()), PART_MAX_MS);
    });
    try {
      return { value: await Promise.race([asking, late]), why: null };
    } catch (problem) {
      this.ports.onProblem(part, problem);
      return { value: null, why: whyNot(problem) };
    } finally {
      clearTimeout(timer);
    }
  }
}

class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
  constructor() {
    super(`there was no answer within ${String(PART_MAX_MS)} ms`);
  }
}

/** In words of our own: what a driver says may hold an address. */
const whyNot = (problem: unknown): string => {
  if (problem instanceof NoAnswerInTime) return problem.message;
  if (problem instanceof DatabaseUnavailable) return 'Postgres can not be asked now';
  if (problem instanceof StoreUnavailable) return 'the broker can not be asked now';
  return 'it could not be looked at; the log of queries says why';
};
