import type { Epoch, NodeId, WorkspaceId } from '#kernel';

/** What a node needs of the broker before it can work. */
export interface NodeEntrance {
  /** Makes the durable consumer through which it takes its frames: a node may not make its own. @returns its name. */
  ensureFrameConsumer(workspace: WorkspaceId, node: NodeId): Promise<string>;
  /** The event store's epoch. */
  epoch(): Promise<Epoch>;
}
export const NODE_ENTRANCE = Symbol('NodeEntrance');
