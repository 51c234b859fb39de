import { randomUUID } from 'node:crypto';
import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import type { Clock, NodeId, Provenance, SpawnId, WorkspaceId } from '#kernel';
import { Turns } from '#platform';
import type {
  NodeForSpawns,
  NodeSlots,
  SlotGivenBack,
  SlotOrder,
  SlotReservation,
  SlotStanding,
} from '../contract/index.js';
import {
  fencedRound,
  slotOf,
  slotsUsed,
  type NodeState,
  type SlotCommand,
  type Slots,
} from '../domain/index.js';
import { NODE_AGGREGATE } from './node.aggregate.js';

/** Slots as the streams of their nodes say. */
export class StoredSlots implements NodeSlots {
  /** Of writes to each node. Those of one process take turns: side by side they only make each other decide again. */
  private readonly turns = new Turns();

  constructor(
    private readonly store: Pick<AggregateStore, 'load' | 'execute'>,
    private readonly clock: Clock,
  ) {}

  async look(workspace: WorkspaceId, node: NodeId, spawnId: SpawnId): Promise<NodeForSpawns> {
    const { state } = await this.store.load(NODE_AGGREGATE, workspace, node, 'leader');
    return nodeForSpawns(state, spawnId);
  }

  async holders(workspace: WorkspaceId, node: NodeId): Promise<readonly SpawnId[]> {
    const { state } = await this.store.load(NODE_AGGREGATE, workspace, node, 'leader');
    return Object.keys(state.slots.held);
  }

  async reserve(
    workspace: WorkspaceId,
    node: NodeId,
    order: SlotReservation,
    by: Provenance,
  ): Promise<void> {
    await this.execute(
      workspace,
      { type: 'ReserveSlot', nodeId: node, ...order, ...this.now() },
      by,
    );
  }

  async release(
    workspace: WorkspaceId,
    node: NodeId,
    order: SlotGivenBack,
    by: Provenance,
  ): Promise<void> {
    await this.execute(
      workspace,
      { type: 'ReleaseSlot', nodeId: node, ...order, ...this.now() },
      by,
    );
  }

  async occupy(
    workspace: WorkspaceId,
    node: NodeId,
    order: SlotOrder,
    by: Provenance,
  ): Promise<void> {
    await this.execute(
      workspace,
      { type: 'OccupySlot', nodeId: node, ...order, ...this.now() },
      by,
    );
  }

  private now(): { readonly now: number } {
    return { now: this.clock.now() };
  }

  private async execute(
    workspace: WorkspaceId,
    command: SlotCommand,
    by: Provenance,
  ): Promise<void> {
    const { type, nodeId, spawnId, round } = command;
    await this.turns.take(`${workspace}/${nodeId}`, () =>
      this.store.execute(NODE_AGGREGATE, { workspace, id: nodeId }, command, {
        commandId: orderId(type, spawnId, round),
        metadata: metadataOf(type, by),
        consistency: 'leader',
      }),
    );
  }
}

/** What of a node's state matters to one spawn. */
export const nodeForSpawns = (node: NodeState, spawnId: SpawnId): NodeForSpawns => {
  const { description, slots } = node;
  return {
    membership: node.status,
    name: description?.name ?? null,
    journalId: node.status === 'member' ? node.journalId : null,
    capabilities: description?.capabilities ?? [],
    harnesses: description?.harnesses ?? [],
    drained: node.drained,
    free: Math.max(0, (description?.capacity ?? 0) - slotsUsed(slots)),
    slot: standingOf(slots, spawnId),
  };
};

const standingOf = (slots: Slots, spawnId: SpawnId): SlotStanding => {
  const slot = slotOf(slots, spawnId);
  return {
    round: slot?.round ?? null,
    state: slot?.state ?? 'none',
    reservedAt: slot?.reservedAt ?? 0,
    fenced: fencedRound(slots, spawnId),
  };
};

/**
 * Whoever orders it, and however often, a round is reserved and occupied once. A release is news again when its fence was
 * forgotten: each is a command of its own, and the decider drops what is no news.
 */
const orderId = (type: SlotCommand['type'], spawnId: SpawnId, round: number): string => {
  const id = `${type}/${spawnId}/${String(round)}`;
  return type === 'ReleaseSlot' ? `${id}/${randomUUID()}` : id;
};
