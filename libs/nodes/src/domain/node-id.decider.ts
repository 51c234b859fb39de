import { RuleViolation, type Decider, type Instant, type NodeId, type WorkspaceId } from '#kernel';

/** The id belongs to this workspace from now on: no other may have a node of that name. */
export interface NodeIdTaken {
  readonly type: 'NodeIdTaken';
  readonly data: {
    readonly nodeId: NodeId;
    readonly workspace: WorkspaceId;
    readonly at: Instant;
  };
}

/** An id of a node, over all workspaces. */
export interface NodeIdState {
  readonly nodeId: NodeId;
  readonly workspace: WorkspaceId | null;
}

export interface TakeNodeId {
  readonly type: 'TakeNodeId';
  readonly nodeId: NodeId;
  readonly workspace: WorkspaceId;
  readonly now: Instant;
}

export const NODE_ID: Decider<TakeNodeId, NodeIdState, NodeIdTaken> = {
  aggregate: 'node-id',
  initialState: (nodeId) => ({ nodeId, workspace: null }),
  evolve: (state, event) => ({ ...state, workspace: event.data.workspace }),
  decide: ({ nodeId, workspace, now: at }, state) => {
    if (state.workspace === workspace) return [];
    if (state.workspace !== null)
      // Which workspace has it is not the caller's business.
      throw new RuleViolation(
        'node_id_taken',
        { nodeId },
        'another workspace has a node of that id',
      );
    return [{ type: 'NodeIdTaken', data: { nodeId, workspace, at } }];
  },
};
