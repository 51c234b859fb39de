import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'spawn_task_pk';

/** A spawn's task: written once and up to 128 KiB, so it is not in the row that every event rewrites. */
@Entity('spawn_task')
export class SpawnTaskEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { name: 'spawn_id', primaryKeyConstraintName })
  spawnId!: string;

  @Column('text')
  task!: string;

  /** The stream sequence of its claim. */
  @Column('bigint')
  sequence!: number;
}
