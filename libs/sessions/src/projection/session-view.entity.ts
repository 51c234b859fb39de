import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type { SessionRow } from './session-view.row.js';

const primaryKeyConstraintName = 'session_view_pk';

@Entity('session_view')
@Index('session_view_change', ['workspace', 'change'])
export class SessionViewEntity implements SessionRow {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { name: 'session_id', primaryKeyConstraintName })
  sessionId!: string;

  @Column('text', { name: 'active_run_id' })
  activeRunId!: string;

  @Column('jsonb')
  queue!: readonly string[];

  @Column('timestamptz', { name: 'updated_at', transformer: TIME })
  updatedAt!: number;

  @Column('bigint')
  sequence!: number;

  /** The number of its newest change: see {@link ChangeCounterEntity}. */
  @Column('bigint')
  change!: number;
}
