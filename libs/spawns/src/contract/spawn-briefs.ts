import type { SpawnId, WorkspaceId } from '#kernel';
import type { SpawnResolution, SpawnStatus } from './spawn.contract.js';

/** What other slices show of a spawn. */
export interface SpawnBrief {
  readonly spawnId: SpawnId;
  readonly status: SpawnStatus;
  /** Nobody could say whether it was started, and nobody has said since. */
  readonly unanswered: boolean;
  /** Its agent was seen alive, or is known to have ended; null while nothing is known of it. */
  readonly agent: 'alive' | 'ended' | null;
  readonly resolution: SpawnResolution | null;
  /** Its agent is to end. */
  readonly isStopping: boolean;
}

/** Shows spawns to other slices, from the read model: nothing is decided by it. */
export interface SpawnBriefs {
  /** Those of the named spawns that the read model has, by id. */
  briefsOf(
    workspace: WorkspaceId,
    spawnIds: readonly SpawnId[],
  ): Promise<ReadonlyMap<SpawnId, SpawnBrief>>;
}
export const SPAWN_BRIEFS = Symbol('SpawnBriefs');
