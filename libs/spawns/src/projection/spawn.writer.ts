import type { AgentLifeEvent } from '#agents/contract';
import type { Commit } from '#event-store';
import type { NodeEvent, SlotEvent } from '#nodes/contract';
import {
  RowTable,
  TableBuild,
  TableProjection,
  type Database,
  type Projection,
  type RowProjector,
  type Sql,
  type TableOfBuild,
} from '#postgres';
import type { SpawnEvent } from '../domain/index.js';
import { SpawnTaskEntity } from './spawn-task.entity.js';
import { SpawnViewEntity } from './spawn-view.entity.js';
import type { SpawnRow } from './spawn-view.row.js';
import {
  projectSlot,
  projectSpawn,
  projectSpawnedAgent,
  spawnOf,
  type EventPlace,
} from './spawn.projector.js';

/** Spawns, with their slots on nodes and their agents. */
export const SPAWNS_PROJECTION = 'spawns';

/**
 * Commits of spawns, nodes and agents as rows of spawns. The event stream has one order for all three, and revisions are
 * positions in it: a row that has come as far as one of them contains everything that was before it in the others.
 */
export const SPAWN_ROWS: RowProjector<SpawnRow> = {
  name: SPAWNS_PROJECTION,
  aggregates: ['spawn', 'node', 'agent'],
  keysOf: (commit) =>
    spawnsIn(commit).map((spawnId) => ({ workspace: commit.ref.workspace, spawnId })),
  project: (row, { ref: { aggregate, workspace }, events, revision: sequence }) => {
    const place = { workspace, sequence };
    switch (aggregate) {
      case 'spawn':
        return folded(row, events as readonly SpawnEvent[], projectSpawn, place);
      case 'node':
        return folded(row, slotEventsIn(events as readonly NodeEvent[]), projectSlot, place);
      default:
        return folded(row, events as readonly AgentLifeEvent[], projectSpawnedAgent, place);
    }
  },
};

const folded = <Event>(
  row: SpawnRow | undefined,
  events: readonly Event[],
  project: (row: SpawnRow | undefined, event: Event, place: EventPlace) => SpawnRow | undefined,
  place: EventPlace,
): SpawnRow | undefined =>
  events.reduce<SpawnRow | undefined>(
    (before, event) => project(before, event, place) ?? before,
    row,
  );

/** The spawns whose rows a commit may change, each once. */
const spawnsIn = ({ ref: { aggregate, id }, events }: Commit): readonly string[] => {
  switch (aggregate) {
    case 'spawn':
      return [id];
    case 'node': {
      const slots = slotEventsIn(events as readonly NodeEvent[]);
      return [...new Set(slots.map(({ data }) => data.spawnId))];
    }
    default:
      return [...new Set((events as readonly AgentLifeEvent[]).map(spawnOf))].filter(
        (spawnId) => spawnId !== null,
      );
  }
};

const slotEventsIn = (events: readonly NodeEvent[]): readonly SlotEvent[] =>
  events.filter(
    (event) =>
      event.type === 'SlotReserved' ||
      event.type === 'SlotReleased' ||
      event.type === 'SlotOccupied',
  );

type TaskRow = Readonly<Pick<SpawnTaskEntity, keyof SpawnTaskEntity>>;

/** Keeps the rows of spawns, and their tasks beside them. */
export class SpawnsProjection implements Projection {
  readonly name = SPAWNS_PROJECTION;
  readonly aggregates = SPAWN_ROWS.aggregates;
  private readonly rows: TableProjection<SpawnRow>;
  private readonly tasks: RowTable<TaskRow>;

  constructor({ dataSource }: Pick<Database, 'dataSource'>) {
    const table = new RowTable<SpawnRow>(dataSource.getMetadata(SpawnViewEntity));
    this.rows = new TableProjection(SPAWN_ROWS, table);
    this.tasks = new RowTable(dataSource.getMetadata(SpawnTaskEntity));
  }

  async write(commits: readonly Commit[], sql: Sql): Promise<number> {
    await this.tasks.upsert(sql, commits.flatMap(tasksIn));
    return this.rows.write(commits, sql);
  }

  async clear(sql: Sql): Promise<void> {
    await this.tasks.clear(sql);
    await this.rows.clear(sql);
  }

  builds(): readonly TableOfBuild[] {
    return [new TableBuild(TASK_ROWS, this.tasks), ...this.rows.builds()];
  }
}

const tasksIn = ({ ref, events, revision: sequence }: Commit): readonly TaskRow[] =>
  ref.aggregate === 'spawn'
    ? (events as readonly SpawnEvent[])
        .filter((event) => event.type === 'SpawnClaimed')
        .map(({ data: { task } }) => ({
          workspace: ref.workspace,
          spawnId: ref.id,
          task,
          sequence,
        }))
    : [];

/** The same, for rows that are made anew. */
const TASK_ROWS: Pick<RowProjector<TaskRow>, 'keysOf' | 'project'> = {
  keysOf: tasksIn,
  project: (row, commit) => tasksIn(commit).at(-1) ?? row,
};
