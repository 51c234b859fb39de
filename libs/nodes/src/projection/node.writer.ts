import type { Commit } from '#event-store';
import {
  RowTable,
  TableProjection,
  type Database,
  type Projection,
  type RowProjector,
  type Sql,
  type TableOfBuild,
} from '#postgres';
import type { NodeEvent, SlotEvent } from '../domain/index.js';
import { NodeViewEntity } from './node-view.entity.js';
import type { NodeRow, SlotRow } from './node-view.row.js';
import { projectNode, projectSlotOf } from './node.projector.js';
import { SlotViewEntity } from './slot-view.entity.js';

export const NODES_PROJECTION = 'nodes';

export const NODE_ROWS: RowProjector<NodeRow> = {
  name: NODES_PROJECTION,
  aggregates: ['node'],
  keysOf: ({ ref: { workspace, id } }) => [{ workspace, nodeId: id }],
  project: (row, { ref: { workspace }, events, revision: sequence }) =>
    (events as readonly NodeEvent[]).reduce<NodeRow | undefined>(
      (before, event) => projectNode(before, event, { workspace, sequence }) ?? before,
      row,
    ),
};

export const SLOT_ROWS: RowProjector<SlotRow> = {
  name: NODES_PROJECTION,
  aggregates: ['node'],
  keysOf: (commit) => {
    const { workspace, id: nodeId } = commit.ref;
    const spawnIds = new Set(slotEventsIn(commit).map(({ data }) => data.spawnId));
    return [...spawnIds].map((spawnId) => ({ workspace, nodeId, spawnId }));
  },
  project: (row, commit, { spawnId = '' }) => {
    const { ref, revision: sequence } = commit;
    const place = { workspace: ref.workspace, sequence };
    return slotEventsIn(commit).reduce<SlotRow | undefined>(
      (before, event) => projectSlotOf(spawnId, before, event, place),
      row,
    );
  },
};

const slotEventsIn = ({ events }: Commit): readonly SlotEvent[] =>
  (events as readonly NodeEvent[]).filter(
    (event) =>
      event.type === 'SlotReserved' ||
      event.type === 'SlotReleased' ||
      event.type === 'SlotOccupied',
  );

/** Keeps the rows of nodes, and of their slots beside them. */
class NodesProjection implements Projection {
  readonly name = NODES_PROJECTION;
  readonly aggregates = NODE_ROWS.aggregates;

  constructor(
    private readonly nodes: TableProjection<NodeRow>,
    private readonly slots: TableProjection<SlotRow>,
  ) {}

  async write(commits: readonly Commit[], sql: Sql): Promise<number> {
    await this.slots.write(commits, sql);
    return this.nodes.write(commits, sql);
  }

  async clear(sql: Sql): Promise<void> {
    await this.slots.clear(sql);
    await this.nodes.clear(sql);
  }

  builds(): readonly TableOfBuild[] {
    return [...this.slots.builds(), ...this.nodes.builds()];
  }
}

export const nodesProjection = ({ dataSource }: Pick<Database, 'dataSource'>): Projection =>
  new NodesProjection(
    new TableProjection(NODE_ROWS, new RowTable(dataSource.getMetadata(NodeViewEntity))),
    new TableProjection(SLOT_ROWS, new RowTable(dataSource.getMetadata(SlotViewEntity))),
  );
