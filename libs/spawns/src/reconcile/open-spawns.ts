import type { Instant, NodeId, SpawnId, WorkspaceId } from '#kernel';
import type { SpawnStatus } from '../contract/index.js';

/** A row of the read model, as far as the reconciler looks at it. It finds work there; the stream decides. */
export interface OpenSpawn {
  readonly workspace: WorkspaceId;
  readonly spawnId: SpawnId;
  /** Null before a generic one is placed. */
  readonly nodeId: NodeId | null;
  readonly status: SpawnStatus;
  readonly claimedAt: Instant;
  /** Null before its first dispatch. */
  readonly retryAfterAt: Instant | null;
}

/**
 * The spawns that may need a step: those under way, and those that are settled while their slot, or the fence of it, waits for
 * somebody.
 */
export interface OpenSpawns {
  /**
   * @param after the last spawn of the page before; null for the first page.
   * @returns at most `limit` rows in a fixed order.
   */
  page(options: {
    readonly after: Pick<OpenSpawn, 'workspace' | 'spawnId'> | null;
    readonly limit: number;
  }): Promise<readonly OpenSpawn[]>;
}
export const OPEN_SPAWNS = Symbol('OpenSpawns');
