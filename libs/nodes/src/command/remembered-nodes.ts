import type { NodeId, WorkspaceId } from '#kernel';
import { ExpiringCache } from '#platform';
import type { KnownNode, NodeDirectory } from '../contract/index.js';

/** Nodes that are remembered at a time. */
const NODES_MAX = 10_000;

/**
 * Remembers members for a moment, so that a burst of work costs one look. A node that is not a member, and whatever must
 * come from the leader, is looked up each time.
 */
export class RememberedNodes implements NodeDirectory {
  private readonly members: ExpiringCache<KnownNode>;

  /**
   * @param forMs so much later it may be noticed that a node left, or has another journal: until then runs are dispatched to
   *   it that nobody claims, and that are taken back when their window to start is over.
   * @param nowMs a clock that never goes back.
   */
  constructor(
    private readonly nodes: NodeDirectory,
    forMs: number,
    nowMs: () => number,
  ) {
    this.members = new ExpiringCache(NODES_MAX, forMs, nowMs);
  }

  async find(
    workspace: WorkspaceId,
    node: NodeId,
    consistency: 'any' | 'leader',
  ): Promise<KnownNode> {
    const key = `${workspace}/${node}`;
    const known = consistency === 'any' ? this.members.get(key) : undefined;
    if (known !== undefined) return known;
    const found = await this.nodes.find(workspace, node, consistency);
    if (found.journalId === null) this.members.delete(key);
    else this.members.set(key, found);
    return found;
  }
}
