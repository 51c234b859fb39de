import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Counts the changes of all read models: one row, whose value is the number of the newest change.
 *
 * Who writes rows takes their numbers here first, and so holds this row until its transaction ends: changes become
 * visible in the order of their numbers, and nobody who reads on from a number misses one.
 */
@Entity('change_counter')
export class ChangeCounterEntity {
  /** Always true: there is one. */
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'change_counter_pk' })
  id!: boolean;

  @Column('bigint')
  value!: number;
}
