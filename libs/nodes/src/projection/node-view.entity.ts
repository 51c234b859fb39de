import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type { NodeRow } from './node-view.row.js';

const primaryKeyConstraintName = 'node_view_pk';

@Entity('node_view')
@Index('node_view_change', ['workspace', 'change'])
export class NodeViewEntity implements NodeRow {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { name: 'node_id', primaryKeyConstraintName })
  nodeId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  membership!: 'member' | 'left';

  @Column('jsonb')
  capabilities!: readonly string[];

  @Column('integer')
  capacity!: number;

  @Column('integer', { name: 'max_runs' })
  maxRuns!: number;

  @Column('jsonb')
  agents!: readonly string[];

  @Column('jsonb')
  harnesses!: readonly string[];

  @Column('text', { name: 'drain_reason', nullable: true })
  drainReason!: string | null;

  @Column('text', { name: 'drain_actor', nullable: true })
  drainActor!: string | null;

  @Column('timestamptz', { name: 'drained_at', nullable: true, transformer: TIME })
  drainedAt!: number | null;

  @Column('text', { name: 'journal_id' })
  journalId!: string;

  @Column('text', { nullable: true })
  incarnation!: string | null;

  @Column('timestamptz', { name: 'joined_at', transformer: TIME })
  joinedAt!: number;

  @Column('timestamptz', { name: 'started_at', nullable: true, transformer: TIME })
  startedAt!: number | null;

  @Column('timestamptz', { name: 'left_at', nullable: true, transformer: TIME })
  leftAt!: number | null;

  @Column('timestamptz', { name: 'updated_at', transformer: TIME })
  updatedAt!: number;

  @Column('bigint')
  sequence!: number;

  /** The number of its newest change: see {@link ChangeCounterEntity}. */
  @Column('bigint')
  change!: number;
}
