import type { Instant, JournalId, NodeId, Provenance, SpawnId, WorkspaceId } from '#kernel';

/** A node as whoever places an agent on it sees it: what its own stream says, read from the leader. */
export interface NodeForSpawns {
  readonly membership: 'none' | 'member' | 'left';
  /** Null before it ever joined. */
  readonly name: string | null;
  /** Null when it is not a member. */
  readonly journalId: JournalId | null;
  readonly capabilities: readonly string[];
  readonly harnesses: readonly string[];
  readonly drained: boolean;
  /** Places that nobody holds. */
  readonly free: number;
  readonly slot: SlotStanding;
}

/** Where one spawn stands with one node. */
export interface SlotStanding {
  /** The round that holds a place; null = none does. */
  readonly round: number | null;
  readonly state: 'none' | 'reserved' | 'occupied';
  readonly reservedAt: Instant;
  /** No round up to this one can be given a place any more. */
  readonly fenced: number;
}

export interface SlotOrder {
  readonly spawnId: SpawnId;
  readonly round: number;
}
export interface SlotReservation extends SlotOrder {
  readonly token: string;
  readonly snapshot: {
    readonly nodeName: string;
    readonly agentName: string;
    readonly harness: string;
  };
  readonly until: Instant;
}
export interface SlotGivenBack extends SlotOrder {
  /** Until when the fenced round could be reserved. */
  readonly until: Instant;
  readonly reason: string;
}

/** The places of nodes, for those who decide on spawns. Each order may be repeated: it takes effect once. */
export interface NodeSlots {
  look(workspace: WorkspaceId, node: NodeId, spawnId: SpawnId): Promise<NodeForSpawns>;
  /** The spawns that hold a place of this node; read from the leader. */
  holders(workspace: WorkspaceId, node: NodeId): Promise<readonly SpawnId[]>;
  /** @throws RuleViolation: the place can't be given; the node is to be looked at again. */
  reserve(
    workspace: WorkspaceId,
    node: NodeId,
    order: SlotReservation,
    by: Provenance,
  ): Promise<void>;
  /** Gives the place back, if there is one, and fences the round in any case. */
  release(
    workspace: WorkspaceId,
    node: NodeId,
    order: SlotGivenBack,
    by: Provenance,
  ): Promise<void>;
  /** @throws RuleViolation `slot.not_reserved` */
  occupy(workspace: WorkspaceId, node: NodeId, order: SlotOrder, by: Provenance): Promise<void>;
}
