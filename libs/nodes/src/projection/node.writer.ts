import { RowTable, TableProjection, type Database, type RowProjector } from '#postgres';
import type { NodeEvent } from '../domain/index.js';
import { NodeViewEntity } from './node-view.entity.js';
import type { NodeRow } from './node-view.row.js';
import { projectNode } from './node.projector.js';

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

export const nodesProjection = ({
  dataSource,
}: Pick<Database, 'dataSource'>): TableProjection<NodeRow> =>
  new TableProjection(NODE_ROWS, new RowTable(dataSource.getMetadata(NodeViewEntity)));
