import { NotNow } from '#hosting';
import { RuleViolation, type WorkspaceId } from '#kernel';
import type { LivenessAuthority, NodeForSpawns, NodeSlots } from '#nodes/contract';
import type { ExistingSpawn, SpawnRequestFacts } from '../domain/index.js';

/** What a strict spawn asks of its node. */
type Wanted = Pick<SpawnRequestFacts, 'nodeId' | 'nodeName' | 'harness' | 'verifyReady'>;

/**
 * What keeps a strict spawn from its node, before anything is written. It is looked for by its exact id, and nowhere else: no
 * other node is ever asked.
 */
export class StrictSpawnDoor {
  constructor(
    private readonly slots: Pick<NodeSlots, 'look'>,
    private readonly liveness: LivenessAuthority,
  ) {}

  /**
   * @throws RuleViolation `node_not_found`, `node_target_mismatch`, `node_capability_missing`.
   * @throws NotNow `node_offline`, `node_not_ready`, `unavailable`
   */
  async checkNew(workspace: WorkspaceId, spawnId: string, wanted: Wanted): Promise<void> {
    const nodeId = wanted.nodeId ?? '';
    const node = await this.slots.look(workspace, nodeId, spawnId);
    checkTarget(node, wanted);
    const { liveness, notReady } = await this.liveness.judge(workspace, nodeId);
    if (liveness === 'silent') throw offline(nodeId);
    if (liveness === 'unclear')
      throw new NotNow('unavailable', `whether node ${nodeId} lives can't be told now; ask again`);
    if (wanted.verifyReady && (node.drained || notReady.includes(wanted.harness)))
      throw notReadyFor(wanted, node);
  }

  /**
   * Of a claim that nothing has left of: its node must still be the one that was meant. The claim stays as it is.
   *
   * @throws RuleViolation `node_not_found`, `node_target_mismatch`, `node_capability_missing`.
   */
  async checkUnsent(workspace: WorkspaceId, { spawnId, request }: ExistingSpawn): Promise<void> {
    checkTarget(await this.slots.look(workspace, request.nodeId ?? '', spawnId), request);
  }

  /**
   * Why a claim is still pending although its caller waited: what demands readiness is refused with that.
   *
   * @throws NotNow `node_offline`, `node_not_ready`
   */
  async checkReady(workspace: WorkspaceId, { spawnId, request }: ExistingSpawn): Promise<void> {
    const nodeId = request.nodeId ?? '';
    const node = await this.slots.look(workspace, nodeId, spawnId);
    const { liveness, notReady } = await this.liveness.judge(workspace, nodeId);
    if (liveness !== 'alive') throw offline(nodeId);
    if (node.drained || notReady.includes(request.harness)) throw notReadyFor(request, node);
  }
}

const checkTarget = (node: NodeForSpawns, { nodeId, nodeName, harness }: Wanted): void => {
  const given = { nodeId, nodeName };
  if (node.membership !== 'member')
    throw new RuleViolation('node_not_found', { nodeId }, `there is no node ${nodeId ?? ''}`);
  if (node.name !== nodeName)
    throw new RuleViolation(
      'node_target_mismatch',
      { ...given, name: node.name },
      `node ${nodeId ?? ''} is called ${node.name ?? ''}, not ${nodeName ?? ''}`,
    );
  if (!node.harnesses.includes(harness))
    throw new RuleViolation(
      'node_capability_missing',
      { nodeId, harness, harnesses: node.harnesses },
      `node ${nodeId ?? ''} does not offer ${harness}`,
    );
};

const offline = (nodeId: string): NotNow =>
  new NotNow('node_offline', `node ${nodeId} is not there; nothing is sent to another one`);

const notReadyFor = ({ nodeId, harness }: Wanted, { drained }: NodeForSpawns): NotNow =>
  new NotNow(
    'node_not_ready',
    drained
      ? `node ${nodeId ?? ''} was taken out of service`
      : `node ${nodeId ?? ''} is not ready for ${harness}`,
  );
