import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TIME } from './time-column.js';

/** How far a generation of a projection's tables has come, committed with the rows themselves. */
@Entity('projection_checkpoint')
export class CheckpointEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'projection_checkpoint_pk' })
  name!: string;

  /** Which set of tables: a rebuild fills another one beside the live one. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'projection_checkpoint_pk' })
  generation!: string;

  /** The epoch of the stream that `sequence` belongs to. */
  @Column('integer')
  epoch!: number;

  /** The last stream sequence that the rows contain; 0 = none. */
  @Column('bigint')
  sequence!: number;

  /** The body hash of the commit at `sequence`: the same sequence after a restore may be another commit. */
  @Column('text')
  hash!: string;

  /** When the broker stored that commit. */
  @Column('timestamptz', { name: 'stored_at', nullable: true, transformer: TIME })
  storedAt!: number | null;

  /** Why the projection was stopped; null while it goes on. */
  @Column('text', { nullable: true })
  finding!: string | null;

  @Column('timestamptz', { name: 'updated_at', transformer: TIME })
  updatedAt!: number;
}
