import type { LeaseVerdict, NodeBrief } from '#nodes/contract';
import type { SpawnRow } from '../projection/index.js';

/** What is known beside the row when somebody asks what a spawn waits for. */
export interface SpawnSurroundings {
  /** Its node, as the read model has it; undefined when it has none of that id, or nobody asked. */
  readonly node: NodeBrief | undefined;
  /** Its node's lease, judged now; undefined when nobody asked. */
  readonly lease: LeaseVerdict | undefined;
}

/**
 * What a spawn waits for, as the end of a sentence that starts with "waits for"; null when it waits for nothing. Pure. In the
 * words of its saga, from what is shown: the saga alone decides.
 */
export const waitsFor = (row: SpawnRow, around: SpawnSurroundings): string | null => {
  const node = `node ${nameOf(row, around)}`;
  switch (row.status) {
    case 'pending':
    case 'releasing':
      return row.nodeId === null ? somewhere(row) : placeOn(row, node, around);
    case 'dispatched':
      return `${node} to take it`;
    case 'claimed':
      return `${node} to say that its agent was started`;
    case 'completed':
      return row.stopId !== null && row.agent !== 'ended' ? ENDING : null;
    case 'failed':
      return row.unanswered ? answerTo(row, around) : null;
  } // No default: a new status does not compile until it says what it waits for.
};

const ENDING = 'its node to prove that its agent has ended';

const nameOf = ({ nodeName, nodeId }: SpawnRow, { node }: SpawnSurroundings): string =>
  nodeName ?? node?.name ?? nodeId ?? '';

/** A generic one that has no node yet. */
const somewhere = ({ harness, capabilities }: SpawnRow): string => {
  const having = capabilities.length === 0 ? '' : `, has ${capabilities.join(', ')}`;
  return `a free slot on a node that offers ${harness}${having} and is ready`;
};

const placeOn = (row: SpawnRow, node: string, around: SpawnSurroundings): string => {
  const obstacle = obstacleOf(row, node, around);
  if (obstacle !== null) return obstacle;
  if (row.status === 'releasing' && row.slot !== 'none') return `${node} to give its slot back`;
  if (row.slot !== 'none') return `its dispatch to ${node}`;
  const isFull = around.node !== undefined && around.node.slotsHeld >= around.node.capacity;
  return isFull ? `a free slot on ${node}` : `its slot on ${node}`;
};

/** What keeps its node from taking it; null when nothing is known to. */
const obstacleOf = (
  { kind, harness, nodeId, nodeName }: SpawnRow,
  node: string,
  { node: known, lease }: SpawnSurroundings,
): string | null => {
  if (known === undefined) return null; // Nothing is concluded from what is not there.
  if (!known.isMember) return `${node} to join again`;
  if (kind === 'strict' && known.name !== nodeName)
    return `node ${nodeId ?? ''} to be called ${nodeName ?? ''} again`;
  if (!known.harnesses.includes(harness)) return `${node} to offer ${harness}`;
  if (lease !== undefined && lease.kind !== 'alive') return `${node} to come online`;
  if (known.isDrained) return `${node} to be put back in service`;
  const notReady = lease?.kind === 'alive' ? (lease.lease.notReady ?? []) : [];
  return notReady.includes(harness) ? `${node} to be ready for ${harness}` : null;
};

const answerTo = (row: SpawnRow, { lease }: SpawnSurroundings): string => {
  if (row.resolution === 'stop') return ENDING;
  if (row.lateAgent === 'lives') return 'an operator: its agent is alive; stop it, or adopt it';
  return lease?.kind === 'alive'
    ? 'its node to say whether an agent lives'
    : 'its node to come back, or an operator';
};
