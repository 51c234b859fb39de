import type { NodeId, Step, WorkspaceId } from '#kernel';
import { isUnsent, type ExistingSpawn } from '../domain/index.js';
import { hasPlace, placesFor } from './generic-placement.plan.js';
import { nextGenericSpawn } from './generic-spawn.next.js';
import type { NextGeneric } from './generic-spawn.port.js';
import type { NodeCatalog } from './node-catalog.port.js';
import type { LoadedSpawn, SpawnPorts } from './spawn.ports.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';
import { spawnNode } from './spawn.surroundings.js';

/** Nodes that live and are looked at for one placement at most; each costs a read of its stream. */
const LOOKED_AT_MAX = 32;
/** Nodes of which is asked whether they live: those that died without a word stand first, with all their places free. */
const JUDGED_MAX = 512;

/**
 * Finds nodes for generic spawns. The catalog only says where to look: no round is begun for a node before its own stream
 * was read from the leader, so that a catalog that lags costs reads and no commits.
 */
export class GenericSpawnPlacer implements NextGeneric {
  constructor(
    private readonly catalog: NodeCatalog,
    private readonly ports: Pick<SpawnPorts, 'slots' | 'liveness'>,
  ) {}

  async next({ ref, state }: LoadedSpawn, context: SpawnContext): Promise<Step<SpawnStep>> {
    const alone = nextGenericSpawn(state, context, null);
    // What waits although nothing has left waits for a node.
    if (alone.kind !== 'lookAgainAt' || !isUnsent(state)) return alone;
    return nextGenericSpawn(state, context, await this.placeFor(ref.workspace, state));
  }

  private async placeFor(workspace: WorkspaceId, spawn: ExistingSpawn): Promise<NodeId | null> {
    const places = placesFor(spawn, this.catalog.list(workspace));
    let looked = 0;
    for (const nodeId of places.slice(0, JUDGED_MAX)) {
      const life = await this.ports.liveness.judge(workspace, nodeId);
      if (life.liveness !== 'alive') continue;
      const node = await this.ports.slots.look(workspace, nodeId, spawn.spawnId);
      if (hasPlace(spawnNode(spawn, node, life))) return nodeId;
      looked += 1;
      if (looked === LOOKED_AT_MAX) return null;
    }
    return null;
  }
}
