import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { NodeId, WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import type { NodeBrief, NodeBriefs } from '../contract/index.js';
import { NodeViewEntity, SlotViewEntity } from '../projection/index.js';

/** Nodes for other slices, as the read model has them. */
@Injectable()
export class ReadNodeBriefs implements NodeBriefs {
  constructor(@Inject(Database) private readonly database: Database) {}

  async briefsOf(
    workspace: WorkspaceId,
    nodeIds: readonly NodeId[],
  ): Promise<ReadonlyMap<NodeId, NodeBrief>> {
    if (nodeIds.length === 0) return new Map();
    const [rows, held] = await this.database.read((source) =>
      Promise.all([
        source.getRepository(NodeViewEntity).findBy({ workspace, nodeId: In([...nodeIds]) }),
        source
          .getRepository(SlotViewEntity)
          .createQueryBuilder('slot')
          .select('slot.nodeId', 'nodeId')
          .addSelect('count(*)::integer', 'held')
          .where('slot.workspace = :workspace', { workspace })
          .andWhere('slot.nodeId IN (:...nodeIds)', { nodeIds })
          .andWhere("slot.state <> 'released'")
          .groupBy('slot.nodeId')
          .getRawMany<{ nodeId: string; held: number }>(),
      ]),
    );
    const slotsHeld = new Map(held.map((one) => [one.nodeId, one.held]));
    return new Map(
      rows.map((row) => [
        row.nodeId,
        {
          nodeId: row.nodeId,
          name: row.name,
          isMember: row.membership === 'member',
          harnesses: row.harnesses,
          isDrained: row.drainedAt !== null,
          capacity: row.capacity,
          slotsHeld: slotsHeld.get(row.nodeId) ?? 0,
        },
      ]),
    );
  }
}
