import { RuleViolation, type Instant, type NodeId, type SpawnId } from '#kernel';
import type { SlotEvent, SlotSnapshot } from './node.events.js';
import { fencedRound, slotOf, slotsUsed, type SlotKeeper } from './slot.state.js';

interface Base {
  readonly nodeId: NodeId;
  readonly now: Instant;
  readonly spawnId: SpawnId;
  readonly round: number;
}
/** Gives this round of this spawn a place on this node. */
export interface ReserveSlot extends Base {
  readonly type: 'ReserveSlot';
  readonly token: string;
  readonly snapshot: SlotSnapshot;
  readonly until: Instant;
}
/** Gives the place back, and fences the round; the spawn decided so before. */
export interface ReleaseSlot extends Base {
  readonly type: 'ReleaseSlot';
  readonly until: Instant;
  readonly reason: string;
}
/** The agent was started: the reservation becomes its place. */
export interface OccupySlot extends Base {
  readonly type: 'OccupySlot';
}
export type SlotCommand = ReserveSlot | ReleaseSlot | OccupySlot;

/** Who holds a node's places. The spawn's own stream decides what becomes of it; this only keeps its word. */
export const decideSlot = (command: SlotCommand, node: SlotKeeper): readonly SlotEvent[] => {
  switch (command.type) {
    case 'ReserveSlot':
      return reserve(command, node);
    case 'ReleaseSlot':
      return release(command, node);
    case 'OccupySlot':
      return occupy(command, node);
  }
};

const reserve = (command: ReserveSlot, node: SlotKeeper): readonly SlotEvent[] => {
  const { nodeId, spawnId, round, token, snapshot, until, now: at } = command;
  const slot = slotOf(node.slots, spawnId);
  // Asked again: it takes no second place.
  if (slot?.round === round && slot.token === token) return [];
  if (node.status !== 'member' || node.description === null)
    throw new RuleViolation('node_not_found', { nodeId });
  if (node.drained) throw new RuleViolation('node_not_ready', { nodeId });
  if (round <= fencedRound(node.slots, spawnId))
    throw new RuleViolation('slot.round_fenced', { spawnId, round });
  if (slot !== null)
    throw new RuleViolation('slot.other_round_open', { spawnId, round: slot.round });
  if (at > until) throw new RuleViolation('slot.too_late', { spawnId, round });
  const { capacity } = node.description;
  if (slotsUsed(node.slots) >= capacity) throw new RuleViolation('node_full', { nodeId, capacity });
  return [{ type: 'SlotReserved', data: { nodeId, at, spawnId, round, token, snapshot, until } }];
};

const release = (command: ReleaseSlot, node: SlotKeeper): readonly SlotEvent[] => {
  const { nodeId, spawnId, round, until, reason, now: at } = command;
  const slot = slotOf(node.slots, spawnId);
  const holds = slot !== null && slot.round <= round;
  if (!holds && round <= fencedRound(node.slots, spawnId)) return [];
  return [{ type: 'SlotReleased', data: { nodeId, at, spawnId, round, until, reason } }];
};

const occupy = (command: OccupySlot, node: SlotKeeper): readonly SlotEvent[] => {
  const { nodeId, spawnId, round, now: at } = command;
  const slot = slotOf(node.slots, spawnId);
  // Released meanwhile: its agent has ended, and an ended agent takes no place.
  if (slot?.round !== round) throw new RuleViolation('slot.not_reserved', { spawnId, round });
  if (slot.state === 'occupied') return [];
  return [{ type: 'SlotOccupied', data: { nodeId, at, spawnId, round } }];
};
