import type { AgentLifeEvent } from '#agents/contract';
import type { Instant, WorkspaceId } from '#kernel';
import type { SlotEvent } from '#nodes/contract';
import type { SpawnClaimed, SpawnEvent } from '../domain/index.js';
import type { SpawnRow } from './spawn-view.row.js';

/** Where an event stands: what a row keeps of its place. */
export interface EventPlace {
  readonly workspace: WorkspaceId;
  readonly sequence: number;
}

/** The row as it stands after one event of its own stream. Pure and total: a recorded event is never rejected here. */
export const projectSpawn = (
  row: SpawnRow | undefined,
  event: SpawnEvent,
  place: EventPlace,
): SpawnRow | undefined => {
  if (event.type === 'SpawnClaimed') return judged(claimed(event.data, place));
  if (row === undefined) return undefined; // The stream began before this read model's start position.
  return judged(projectExisting(touched(row, event.data.at, place), event));
};

/** The row after what its node did with its slot. What other spawns' slots become changes nothing. */
export const projectSlot = (
  row: SpawnRow | undefined,
  event: SlotEvent,
  place: EventPlace,
): SpawnRow | undefined => {
  // A slot that no spawn asked for is nobody's row: whoever accounts for slots finds it at its node.
  if (row === undefined) return undefined;
  if (event.data.spawnId !== row.spawnId) return row;
  return judged(slotted(touched(row, event.data.at, place), event));
};

/** The row after what became of its agent. An agent of the node's configuration is none of a spawn. */
export const projectSpawnedAgent = (
  row: SpawnRow | undefined,
  event: AgentLifeEvent,
  place: EventPlace,
): SpawnRow | undefined => {
  if (row === undefined) return undefined;
  if (spawnOf(event) !== row.spawnId) return row;
  const agent = event.type === 'AgentRegistered' ? 'alive' : 'ended';
  return judged({ ...touched(row, event.data.at, place), agent });
};

/** The spawn whose agent an event may be of; null when it is certainly of none. */
export const spawnOf = (event: AgentLifeEvent): string | null => {
  switch (event.type) {
    case 'AgentRegistered':
      return event.data.binding.spawn ?? null;
    case 'AgentEnded': // That of a spawn is known by the spawn's id.
      return event.data.name;
  }
};

const touched = (row: SpawnRow, at: Instant, { sequence }: EventPlace): SpawnRow => ({
  ...row,
  updatedAt: at,
  sequence,
});

const claimed = (data: SpawnClaimed['data'], { workspace, sequence }: EventPlace): SpawnRow => ({
  workspace,
  spawnId: data.spawnId,
  kind: data.kind,
  agentName: data.agentName,
  harness: data.harness,
  status: 'pending',
  code: null,
  nodeId: data.nodeId,
  nodeName: data.nodeName,
  capabilities: data.capabilities,
  directory: data.directory,
  workerCwd: null,
  verifyReady: data.verifyReady,
  requestedBy: data.principal,
  claimedAt: data.at,
  dispatchedAt: null,
  retryAfterAt: null,
  settledAt: null,
  updatedAt: data.at,
  round: 0,
  generation: 0,
  ...NO_SLOT,
  fenced: 0,
  agent: 'none',
  lateAgent: null,
  stopId: null,
  stopRequestedAt: null,
  stopReason: null,
  unknownReason: null,
  unknownWitness: null,
  unknownSince: null,
  unknownLastHeardAt: null,
  resolution: null,
  resolutionNote: null,
  resolutionActor: null,
  resolvedAt: null,
  lateEvidence: 0,
  alarming: false,
  open: true,
  unanswered: false,
  sequence,
});

const NO_SLOT = { slot: 'none', slotRound: null, slotNodeId: null } as const;

const projectExisting = (row: SpawnRow, event: Exclude<SpawnEvent, SpawnClaimed>): SpawnRow => {
  const { at } = event.data;
  switch (event.type) {
    case 'SpawnPlacementIntended': {
      const { round, nodeId } = event.data;
      const nodeName = row.nodeId === nodeId ? row.nodeName : null;
      return { ...row, status: 'pending', round, nodeId, nodeName };
    }
    case 'SpawnReservationReleaseDecided':
    case 'SpawnDispatchRevoked':
      return { ...row, status: 'releasing' };
    case 'SpawnDispatched': {
      const { generation, nodeId, nodeName, retryAfterAt } = event.data;
      const sent = { generation, nodeId, nodeName, dispatchedAt: at, retryAfterAt };
      // What was heard of an earlier generation says nothing of the agent that this one may start.
      return { ...row, ...sent, status: 'dispatched', lateAgent: null };
    }
    case 'SpawnFrameClaimed':
      return { ...row, status: 'claimed' };
    case 'SpawnCompleted': {
      const { workerCwd } = event.data;
      return { ...row, status: 'completed', workerCwd, settledAt: at };
    }
    case 'SpawnFailed':
    case 'SpawnExpired':
      return { ...row, status: 'failed', code: event.data.code, settledAt: at };
    case 'SpawnSettledUnknown': {
      const { code, witness, evidence } = event.data;
      return {
        ...row,
        status: 'failed',
        code,
        settledAt: at,
        unknownReason: evidence.reason,
        unknownWitness: witness,
        unknownSince: at,
        unknownLastHeardAt: evidence.lastHeardAt,
      };
    }
    case 'SpawnLateEvidenceRecorded': {
      const { agent, generation, showsStart } = event.data;
      // An agent that is gone does not come back: a report that was overtaken changes nothing.
      const isOfPast = row.lateAgent === 'gone' || generation < row.generation;
      return {
        ...row,
        lateAgent: isOfPast ? row.lateAgent : agent,
        lateEvidence: row.lateEvidence + 1,
        alarming: row.alarming || showsStart,
      };
    }
    case 'SpawnResolved': {
      const { as: resolution, note: resolutionNote, actor: resolutionActor } = event.data;
      return { ...row, resolution, resolutionNote, resolutionActor, resolvedAt: at };
    }
    case 'SpawnAgentStopRequested': {
      const { stopId, reason: stopReason } = event.data;
      return { ...row, stopId, stopRequestedAt: at, stopReason };
    }
  } // No default: a new event does not compile until it has its row.
};

const slotted = (row: SpawnRow, event: SlotEvent): SpawnRow => {
  const { nodeId, round } = event.data;
  switch (event.type) {
    case 'SlotReserved': {
      const { nodeName } = event.data.snapshot;
      // Only a generic spawn is placed on a node whose name it does not know.
      const named = row.nodeId === nodeId && row.nodeName === null ? { nodeName } : {};
      return { ...row, ...named, slot: 'reserved', slotRound: round, slotNodeId: nodeId };
    }
    case 'SlotOccupied':
      return row.slotNodeId === nodeId ? { ...row, slot: 'occupied' } : row;
    case 'SlotReleased': {
      const isHeld = row.slotNodeId === nodeId && (row.slotRound ?? 0) <= round;
      return { ...row, ...(isHeld ? NO_SLOT : {}), fenced: Math.max(row.fenced, round) };
    }
  }
};

/** What follows from all that is known, whichever stream it came from. An event of a later version makes no row. */
const judged = (row: SpawnRow | undefined): SpawnRow | undefined =>
  row && { ...row, open: isOpen(row), unanswered: isUnanswered(row) };

const isOpen = (row: SpawnRow): boolean => {
  const { status, slot, agent, stopId } = row;
  switch (status) {
    case 'pending':
    case 'releasing':
    case 'dispatched':
    case 'claimed':
      return true;
    case 'completed': // Its agent has its slot until it ends: only events move that on, unless it is to be stopped.
      // One whose agent lives without a slot must not be, and is looked at until somebody has looked into it.
      if (slot === 'none') return !(agent === 'ended' && isFenced(row));
      return !(slot === 'occupied' && agent === 'alive' && stopId === null);
    case 'failed': // A reservation that was held up must find the door closed.
      return slot !== 'none' || !isFenced(row);
  } // No default: a new status does not compile until it is open or not.
};

const isUnanswered = (row: SpawnRow): boolean => {
  const { code, lateAgent, agent, resolution, slot, round } = row;
  if (code !== 'spawn_outcome_unknown' || lateAgent === 'gone' || agent === 'ended') return false;
  if (resolution === 'adopt' || resolution === 'free') return false;
  // Given back: its node has left, or has another journal. One that was never placed has nothing to give back.
  return !(round > 0 && slot === 'none' && isFenced(row));
};

const isFenced = ({ fenced, round }: SpawnRow): boolean => fenced >= round;
