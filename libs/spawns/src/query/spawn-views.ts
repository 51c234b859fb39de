import { Inject, Injectable } from '@nestjs/common';
import type { SpawnView } from '#contracts';
import type { NodeId, WorkspaceId } from '#kernel';
import {
  LEASE_READER,
  NODE_BRIEFS,
  type LeaseReader,
  type LeaseVerdict,
  type NodeBriefs,
} from '#nodes/contract';
import type { SpawnRow } from '../projection/index.js';
import { toSpawnView } from './spawn-view.js';
import { waitsFor } from './spawn-waits-for.js';

/** Completes rows with what their spawns wait for: each node is looked up and judged once. */
@Injectable()
export class SpawnViews {
  constructor(
    @Inject(LEASE_READER) private readonly leases: LeaseReader,
    @Inject(NODE_BRIEFS) private readonly nodes: NodeBriefs,
  ) {}

  async of(workspace: WorkspaceId, rows: readonly SpawnRow[]): Promise<readonly SpawnView[]> {
    const nodeIds = waitedForBy(rows);
    const [briefs, leases] = await Promise.all([
      this.nodes.briefsOf(workspace, nodeIds),
      this.leasesOf(workspace, nodeIds),
    ]);
    return rows.map((row) => {
      const { nodeId } = row;
      const node = nodeId === null ? undefined : briefs.get(nodeId);
      const lease = nodeId === null ? undefined : leases.get(nodeId);
      return toSpawnView(row, waitsFor(row, { node, lease }));
    });
  }

  private async leasesOf(
    workspace: WorkspaceId,
    nodeIds: readonly NodeId[],
  ): Promise<ReadonlyMap<NodeId, LeaseVerdict>> {
    const judged = nodeIds.map(
      async (nodeId) => [nodeId, await this.leases.judge(workspace, nodeId)] as const,
    );
    return new Map(await Promise.all(judged));
  }
}

/** The nodes of those that wait for something: of a settled spawn nobody needs to ask. */
const waitedForBy = (rows: readonly SpawnRow[]): readonly NodeId[] => {
  const waiting = rows.filter(({ open, unanswered }) => open || unanswered);
  return [...new Set(waiting.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== null))];
};
