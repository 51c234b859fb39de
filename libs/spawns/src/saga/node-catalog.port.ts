import type { NodeId, WorkspaceId } from '#kernel';

/** What is said of a node that may have a place. It may be out of date: its own stream decides. */
export interface NodeHint {
  readonly nodeId: NodeId;
  readonly harnesses: readonly string[];
  readonly capabilities: readonly string[];
  /** An operator took it out of service. */
  readonly drained: boolean;
  /** Places that nobody holds. */
  readonly free: number;
}

/** Knows which nodes there are, for spawns that may go to any of them. */
export interface NodeCatalog {
  /** The members of a workspace, in no order. */
  list(workspace: WorkspaceId): readonly NodeHint[];
}
