import type { AggregateType } from '#event-store';
import {
  NODE,
  NODE_ID,
  type NodeCommand,
  type NodeEvent,
  type NodeIdState,
  type NodeIdTaken,
  type NodeState,
  type TakeNodeId,
} from '../domain/index.js';

export const NODE_AGGREGATE: AggregateType<NodeCommand, NodeState, NodeEvent> = {
  decider: NODE,
  snapshots: {
    // A state is stored as it is; every version so far reads it so.
    revive: (stored) => stored as NodeState,
    commitsOf: ({ commits }) => commits,
  },
};

/** Lives in the workspace `_`: it arbitrates between workspaces. */
export const NODE_ID_AGGREGATE: AggregateType<TakeNodeId, NodeIdState, NodeIdTaken> = {
  decider: NODE_ID,
};
