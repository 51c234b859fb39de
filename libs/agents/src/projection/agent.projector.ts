import type { WorkspaceId } from '#kernel';
import type { AgentEvent } from '../domain/index.js';
import type { AgentRow } from './agent-view.row.js';

/** The row as it stands after one event. Pure and total: a recorded event is never rejected here. */
export const projectAgent = (
  row: AgentRow | undefined,
  { type, data }: AgentEvent,
  { workspace, sequence }: { readonly workspace: WorkspaceId; readonly sequence: number },
): AgentRow | undefined => {
  const here = { updatedAt: data.at, sequence };
  switch (type) {
    case 'AgentRegistered': {
      // Started by a spawn, it is shown as one: it is no address that work can be submitted to.
      if (data.binding.spawn !== undefined) return row;
      const registeredAt = row?.status === 'registered' ? row.registeredAt : data.at;
      return { ...data.binding, ...here, workspace, status: 'registered', registeredAt };
    }
    case 'AgentEnded':
      return row && { ...row, ...here, status: 'ended' };
  } // No default: a new event does not compile until it has its row.
};
