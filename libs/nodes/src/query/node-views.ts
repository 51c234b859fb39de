import { Inject, Injectable } from '@nestjs/common';
import type { NodeView, SlotView } from '#contracts';
import { CLOCK, type Clock, type NodeId, type WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import { SPAWN_BRIEFS, type SpawnBriefs } from '#spawns/contract';
import { LEASE_READER, type LeaseReader } from '../contract/index.js';
import { SlotViewEntity, type NodeRow, type SlotRow } from '../projection/index.js';
import { toNodeView } from './node-view.js';
import { toSlotView } from './slot-view.js';

/** Most places that one answer shows, over all of its nodes: the first in the order of their nodes, and of time. */
export const SLOTS_SHOWN_MAX = 1_000;

/** Completes rows with who holds their nodes' places, and with what their leases say now. */
@Injectable()
export class NodeViews {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SPAWN_BRIEFS) private readonly spawns: SpawnBriefs,
    @Inject(LEASE_READER) private readonly leases: LeaseReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async of(workspace: WorkspaceId, rows: readonly NodeRow[]): Promise<readonly NodeView[]> {
    const slots = await this.slotsOf(
      workspace,
      rows.map(({ nodeId }) => nodeId),
    );
    const views = rows.map(async (row) => {
      const verdict = await this.leases.judge(workspace, row.nodeId);
      return toNodeView(row, slots.get(row.nodeId) ?? [], verdict, this.clock.now());
    });
    return Promise.all(views);
  }

  private async slotsOf(
    workspace: WorkspaceId,
    nodeIds: readonly NodeId[],
  ): Promise<ReadonlyMap<NodeId, readonly SlotView[]>> {
    const held = nodeIds.length === 0 ? [] : await this.held(workspace, nodeIds);
    const spawnIds = held.map(({ spawnId }) => spawnId);
    const spawns = await this.spawns.briefsOf(workspace, [...new Set(spawnIds)]);
    const byNode = new Map<NodeId, SlotView[]>();
    for (const row of held) {
      const views = byNode.get(row.nodeId) ?? [];
      views.push(toSlotView(row, spawns.get(row.spawnId)));
      byNode.set(row.nodeId, views);
    }
    return byNode;
  }

  private held(workspace: WorkspaceId, nodeIds: readonly NodeId[]): Promise<readonly SlotRow[]> {
    return this.database.read((source) =>
      source
        .getRepository(SlotViewEntity)
        .createQueryBuilder('slot')
        .where('slot.workspace = :workspace', { workspace })
        .andWhere('slot.nodeId IN (:...nodeIds)', { nodeIds })
        .andWhere("slot.state <> 'released'")
        .orderBy('slot.nodeId')
        .addOrderBy('slot.since')
        .addOrderBy('slot.spawnId')
        .limit(SLOTS_SHOWN_MAX)
        .getMany(),
    );
  }
}
