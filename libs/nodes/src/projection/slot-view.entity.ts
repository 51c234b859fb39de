import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type { SlotRow } from './node-view.row.js';

const primaryKeyConstraintName = 'slot_view_pk';

/**
 * One row a spawn and a node that ever gave it a slot; those that are held have an index. Apart from the node's own row, which
 * would have to be written whole, with up to 10,000 slots, whenever one of them changes.
 */
@Entity('slot_view')
@Index('slot_view_held', ['workspace', 'nodeId', 'since', 'spawnId'], {
  where: "(state <> 'released'::text)",
})
export class SlotViewEntity implements SlotRow {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { name: 'node_id', primaryKeyConstraintName })
  nodeId!: string;

  @PrimaryColumn('text', { name: 'spawn_id', primaryKeyConstraintName })
  spawnId!: string;

  @Column('text')
  state!: SlotRow['state'];

  @Column('integer')
  round!: number;

  @Column('text', { name: 'agent_name' })
  agentName!: string;

  @Column('text')
  harness!: string;

  @Column('timestamptz', { transformer: TIME })
  since!: number;

  @Column('bigint')
  sequence!: number;
}
