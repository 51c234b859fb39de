import type { WorkspaceId } from '#kernel';
import type { NodeDescription, NodeEvent, SlotEvent } from '../domain/index.js';
import type { NodeRow, SlotRow } from './node-view.row.js';

/** The row as it stands after one event. Pure and total: a recorded event is never rejected here. */
export const projectNode = (
  row: NodeRow | undefined,
  { type, data }: NodeEvent,
  { workspace, sequence }: { readonly workspace: WorkspaceId; readonly sequence: number },
): NodeRow | undefined => {
  const { nodeId, at } = data;
  const here = { workspace, nodeId, updatedAt: at, sequence };
  if (type === 'NodeJoined') {
    const { at: joinedAt, journalId } = data;
    const membership = { membership: 'member', joinedAt, leftAt: null, journalId } as const;
    // Whoever took it out of service did so whether or not it was there.
    return { ...(row ?? NEW), ...descriptionIn(data), ...here, ...membership };
  }
  if (row === undefined) return undefined; // The stream began before this read model's start position.
  switch (type) {
    case 'NodeStarted':
      return { ...row, ...here, incarnation: data.incarnation, startedAt: at };
    case 'NodeJournalReplaced':
      return { ...row, ...here, journalId: data.journalId };
    case 'NodeChanged':
      return { ...row, ...here, ...descriptionIn(data) };
    case 'NodeRenamed':
      return { ...row, ...here, name: data.name };
    case 'NodeDrained': {
      const { reason: drainReason, actor: drainActor } = data;
      return { ...row, ...here, drainReason, drainActor, drainedAt: at };
    }
    case 'NodeReturned':
      return { ...row, ...here, ...IN_SERVICE };
    case 'SlotReserved': // Its slots have rows of their own; that they changed is news of the node.
    case 'SlotReleased':
    case 'SlotOccupied':
      return { ...row, ...here };
    case 'NodeLeft':
      return { ...row, ...here, membership: 'left', leftAt: at };
  } // No default: a new event does not compile until it has its row.
};

const IN_SERVICE = { drainReason: null, drainActor: null, drainedAt: null } as const;
const NEW = { ...IN_SERVICE, incarnation: null, startedAt: null } as const;

const descriptionIn = (data: NodeDescription): Required<NodeDescription> => {
  const { name, capabilities, capacity, maxRuns, agents, harnesses = [] } = data;
  return { name, capabilities, capacity, maxRuns, agents, harnesses };
};

/** The slot of one spawn as it stands after one event of its node; other spawns' slots change nothing. */
export const projectSlotOf = (
  spawnId: string,
  row: SlotRow | undefined,
  { type, data }: SlotEvent,
  { workspace, sequence }: { readonly workspace: WorkspaceId; readonly sequence: number },
): SlotRow | undefined => {
  if (data.spawnId !== spawnId) return row;
  const { nodeId, round, at: since } = data;
  switch (type) {
    case 'SlotReserved': {
      const { agentName, harness } = data.snapshot;
      const place = { workspace, nodeId, spawnId, sequence };
      return { ...place, state: 'reserved', round, agentName, harness, since };
    }
    case 'SlotOccupied':
      return row?.state === 'reserved' ? { ...row, state: 'occupied', since, sequence } : row;
    case 'SlotReleased': {
      const isHeld = row !== undefined && row.state !== 'released' && row.round <= round;
      return isHeld ? { ...row, state: 'released', since, sequence } : row; // Else it only fences.
    }
  }
};
