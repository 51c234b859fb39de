import type { NodeId, SpawnId, WorkspaceId } from '#kernel';

/**
 * What the conservation law says of one node: each slot that it holds belongs to one spawn, and each spawn that must have one
 * there has it. The two sides are told by two streams: what a node gave, and what spawns were promised.
 */
export interface SlotAccount {
  readonly workspace: WorkspaceId;
  readonly nodeId: NodeId;
  /** Slots that the node holds. */
  readonly held: number;
  /** Spawns that hold one there, or must. */
  readonly accounted: number;
  /** Holders that no spawn accounts for: there is none of that id, or it has given its slot back. */
  readonly strangers: readonly SpawnId[];
  /** Spawns that must have a slot there, and have none. */
  readonly missing: readonly SpawnId[];
}

export interface SlotAccounts {
  /**
   * The nodes whose account does not balance, in a fixed order.
   *
   * @returns `level` false: the rows of nodes and those of spawns are of different moments, and nothing follows from a
   *   difference between them. `limit`: at most so many nodes, and of each at most so many ids.
   */
  unbalanced(limit: number): Promise<{
    readonly level: boolean;
    readonly accounts: readonly SlotAccount[];
  }>;
  /** How many slots each node holds, as both sides say: for measures, and for tests. */
  all(workspace: WorkspaceId): Promise<readonly SlotAccount[]>;
}
export const SLOT_ACCOUNTS = Symbol('SlotAccounts');
