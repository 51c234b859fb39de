import type { AggregateType } from '#event-store';
import {
  NODE,
  NODE_ID,
  NO_SLOTS,
  type NodeCommand,
  type NodeEvent,
  type NodeIdState,
  type NodeIdTaken,
  type NodeState,
  type TakeNodeId,
} from '../domain/index.js';

const BEFORE_SLOTS: Partial<NodeState> = { drained: false, slots: NO_SLOTS };

export const NODE_AGGREGATE: AggregateType<NodeCommand, NodeState, NodeEvent> = {
  decider: NODE,
  snapshots: {
    // A state is stored as it is. What was stored before there were slots says nothing of them.
    revive: (stored) => ({ ...BEFORE_SLOTS, ...(stored as NodeState) }),
    commitsOf: ({ commits }) => commits,
  },
};

/** Lives in the workspace `_`: it arbitrates between workspaces. */
export const NODE_ID_AGGREGATE: AggregateType<TakeNodeId, NodeIdState, NodeIdTaken> = {
  decider: NODE_ID,
};
