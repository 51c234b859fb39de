import type { WorkspaceId } from '#kernel';
import type { NodeEvent } from '../domain/index.js';
import type { NodeRow } from './node-view.row.js';

/** The row as it stands after one event. Pure and total: a recorded event is never rejected here. */
export const projectNode = (
  row: NodeRow | undefined,
  { type, data }: NodeEvent,
  { workspace, sequence }: { readonly workspace: WorkspaceId; readonly sequence: number },
): NodeRow | undefined => {
  const { nodeId, at } = data;
  const here = { workspace, nodeId, updatedAt: at, sequence };
  if (type === 'NodeJoined') {
    const { at: joinedAt, name, capabilities, capacity, maxRuns, agents, journalId } = data;
    const described = { name, capabilities, capacity, maxRuns, agents, journalId };
    const { incarnation, startedAt } = row ?? { incarnation: null, startedAt: null };
    const membership = { membership: 'member', joinedAt, leftAt: null } as const;
    return { ...described, ...here, ...membership, incarnation, startedAt };
  }
  if (row === undefined) return undefined; // The stream began before this read model's start position.
  switch (type) {
    case 'NodeStarted':
      return { ...row, ...here, incarnation: data.incarnation, startedAt: at };
    case 'NodeJournalReplaced':
      return { ...row, ...here, journalId: data.journalId };
    case 'NodeChanged': {
      const { name, capabilities, capacity, maxRuns, agents } = data;
      return { ...row, ...here, name, capabilities, capacity, maxRuns, agents };
    }
    case 'NodeRenamed':
      return { ...row, ...here, name: data.name };
    case 'NodeDrained':
    case 'NodeReturned':
    case 'SlotReserved':
    case 'SlotReleased':
    case 'SlotOccupied':
      return { ...row, ...here };
    case 'NodeLeft':
      return { ...row, ...here, membership: 'left', leftAt: at };
  } // No default: a new event does not compile until it has its row.
};
