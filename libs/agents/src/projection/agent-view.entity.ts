import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type { AgentRow } from './agent-view.row.js';

const primaryKeyConstraintName = 'agent_view_pk';

@Entity('agent_view')
@Index('agent_view_node', ['workspace', 'node', 'name'])
@Index('agent_view_change', ['workspace', 'change'])
export class AgentViewEntity implements AgentRow {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName })
  name!: string;

  @Column('text')
  node!: string;

  @Column('text')
  status!: 'registered' | 'ended';

  @Column('text')
  runtime!: string;

  @Column('text')
  attempts!: 'single' | 'resumable';

  @Column('boolean', { name: 'deduplicates_by_key' })
  deduplicatesByKey!: boolean;

  @Column('boolean', { name: 'read_back_by_key' })
  readBackByKey!: boolean;

  @Column('boolean')
  interruptible!: boolean;

  @Column('boolean', { name: 'outlives_client' })
  outlivesClient!: boolean;

  @Column('text', { name: 'prompt_by' })
  promptBy!: 'argument' | 'stdin';

  @Column('timestamptz', { name: 'registered_at', transformer: TIME })
  registeredAt!: number;

  @Column('timestamptz', { name: 'updated_at', transformer: TIME })
  updatedAt!: number;

  @Column('bigint')
  sequence!: number;

  /** The number of its newest change: see {@link ChangeCounterEntity}. */
  @Column('bigint')
  change!: number;
}
