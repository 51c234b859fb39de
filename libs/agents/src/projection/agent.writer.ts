import { RowTable, TableProjection, type Database, type RowProjector } from '#postgres';
import type { AgentEvent } from '../domain/index.js';
import { AgentViewEntity } from './agent-view.entity.js';
import type { AgentRow } from './agent-view.row.js';
import { projectAgent } from './agent.projector.js';

export const AGENTS_PROJECTION = 'agents';

export const AGENT_ROWS: RowProjector<AgentRow> = {
  name: AGENTS_PROJECTION,
  aggregates: ['agent'],
  keysOf: ({ ref: { workspace, id } }) => [{ workspace, name: id }],
  project: (row, { ref: { workspace }, events, revision: sequence }) =>
    (events as readonly AgentEvent[]).reduce<AgentRow | undefined>(
      (before, event) => projectAgent(before, event, { workspace, sequence }) ?? before,
      row,
    ),
};

export const agentsProjection = ({
  dataSource,
}: Pick<Database, 'dataSource'>): TableProjection<AgentRow> =>
  new TableProjection(AGENT_ROWS, new RowTable(dataSource.getMetadata(AgentViewEntity)));
