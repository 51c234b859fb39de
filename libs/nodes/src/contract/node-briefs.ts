import type { NodeId, WorkspaceId } from '#kernel';

/** What other slices show of a node: whether it lives is another question, see `LeaseReader`. */
export interface NodeBrief {
  readonly nodeId: NodeId;
  readonly name: string;
  readonly isMember: boolean;
  readonly harnesses: readonly string[];
  /** An operator took it out of service. */
  readonly isDrained: boolean;
  readonly capacity: number;
  /** How many of its slots are held. */
  readonly slotsHeld: number;
}

/** Shows nodes to other slices, from the read model: nothing is decided by it. */
export interface NodeBriefs {
  /** Those of the named nodes that the read model has, by id. */
  briefsOf(
    workspace: WorkspaceId,
    nodeIds: readonly NodeId[],
  ): Promise<ReadonlyMap<NodeId, NodeBrief>>;
}
export const NODE_BRIEFS = Symbol('NodeBriefs');
