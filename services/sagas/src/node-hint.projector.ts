import { evolveNode, slotsUsed, type NodeEvent, type NodeState } from '#nodes/domain';
import type { NodeHint } from '#spawns/saga';

/** The node after an event, with what its hint is made of. What grows with time, its journals and fences, is left out. */
export const foldForHint = (node: NodeState, event: NodeEvent): NodeState => {
  const after = evolveNode(node, event);
  return { ...after, journals: [], slots: { held: after.slots.held, fences: {} } };
};

/** What is said of a node to those who look for a place; null of one that is no member. */
export const hintOf = ({
  nodeId,
  status,
  description,
  drained,
  slots,
}: NodeState): NodeHint | null => {
  if (status !== 'member' || description === null) return null;
  const { harnesses = [], capabilities, capacity } = description;
  return {
    nodeId,
    harnesses,
    capabilities,
    drained,
    free: Math.max(0, capacity - slotsUsed(slots)),
  };
};
