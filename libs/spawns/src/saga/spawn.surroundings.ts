import type { Instant, NodeId } from '#kernel';
import type { NodeForSpawns, NodeLife } from '#nodes/contract';
import { isTerminal, isUnknown, type ExistingSpawn } from '../domain/index.js';
import type { LoadedSpawn, SpawnPorts } from './spawn.ports.js';
import type { SpawnContext, SpawnNode } from './spawn.step.js';

/** What a spawn's next step rests on beside the spawn. */
export type Surroundings = Pick<SpawnContext, 'epoch' | 'node' | 'slot' | 'agent'> & {
  /** When its node was last heard of, as far as known. */
  readonly lastHeardAt: Instant | null;
};

/** What is said of a node that nobody need look at. */
const NOT_JUDGED: NodeLife = { liveness: 'unclear', notReady: [], lastHeardAt: null };

/** Looks up what the next step rests on: the node and its slot from the leader, its life from whoever judges that. */
export const surroundingsOf = async (
  { ref, state }: LoadedSpawn,
  ports: Pick<SpawnPorts, 'slots' | 'agents' | 'liveness' | 'epochs'>,
): Promise<Surroundings> => {
  const node = nodeOf(state);
  const { workspace, id } = ref;
  const [epoch, found, life, agent] = await Promise.all([
    ports.epochs.epoch(),
    node === null ? NO_NODE : ports.slots.look(workspace, node, id),
    node === null || isQuiet(state) ? NOT_JUDGED : ports.liveness.judge(workspace, node),
    isTerminal(state) ? ports.agents.standing(workspace, id) : ('none' as const),
  ]);
  const { slot } = found;
  const { lastHeardAt } = life;
  return { epoch, slot, agent, lastHeardAt, node: spawnNode(state, found, life) };
};

/** The node that it is bound to, or was placed on; null before a generic one was placed. */
export const nodeOf = ({ placement, request }: ExistingSpawn): NodeId | null =>
  placement?.nodeId ?? request.nodeId;

/** Nothing is asked of its node any more, whether or not that lives. */
const isQuiet = (spawn: ExistingSpawn): boolean =>
  isTerminal(spawn) && !isUnknown(spawn) && spawn.agentStop === null;

const NO_NODE: NodeForSpawns = {
  membership: 'none',
  name: null,
  journalId: null,
  capabilities: [],
  harnesses: [],
  drained: false,
  free: 0,
  slot: { round: null, state: 'none', reservedAt: 0, fenced: 0 },
};

/** A node as one spawn sees it. */
export const spawnNode = (
  { request }: ExistingSpawn,
  node: NodeForSpawns,
  { liveness, notReady }: NodeLife,
): SpawnNode => ({
  liveness: node.membership === 'member' ? liveness : 'gone',
  name: node.name,
  journalId: node.journalId,
  capable: canHost(node, request),
  ready: !node.drained && !notReady.includes(request.harness),
  hasRoom: node.free > 0,
});

/** It offers the harness, and has what a generic spawn asks for beside that. */
export const canHost = (
  { harnesses, capabilities }: Pick<NodeForSpawns, 'harnesses' | 'capabilities'>,
  request: Pick<ExistingSpawn['request'], 'harness' | 'capabilities'>,
): boolean =>
  harnesses.includes(request.harness) &&
  request.capabilities.every((capability) => capabilities.includes(capability));
