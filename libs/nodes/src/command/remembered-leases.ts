import type { NodeId, WorkspaceId } from '#kernel';
import { ExpiringCache } from '#platform';
import type { LeaseReader, LeaseVerdict } from '../contract/index.js';

/** Nodes that are remembered at a time. */
const NODES_MAX = 10_000;

/**
 * Remembers for a moment that a node is alive, so that a burst of work costs one look. Nothing else is remembered: what
 * accuses a node, or can't be told, is looked at each time.
 */
export class RememberedLeases implements LeaseReader {
  private readonly alive: ExpiringCache<LeaseVerdict>;

  /**
   * @param forMs far below a lease: so much later a death may be noticed.
   * @param nowMs a clock that never goes back.
   */
  constructor(
    private readonly leases: LeaseReader,
    forMs: number,
    nowMs: () => number,
  ) {
    this.alive = new ExpiringCache(NODES_MAX, forMs, nowMs);
  }

  async judge(workspace: WorkspaceId, node: NodeId): Promise<LeaseVerdict> {
    const key = `${workspace}/${node}`;
    const known = this.alive.get(key);
    if (known !== undefined) return known;
    const verdict = await this.leases.judge(workspace, node);
    if (verdict.kind === 'alive') this.alive.set(key, verdict);
    return verdict;
  }
}
