import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A run's prompt: written once and up to 256 KiB, so it is not in the row that every event rewrites. */
@Entity('run_prompt')
export class RunPromptEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'run_prompt_pk' })
  workspace!: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'run_prompt_pk' })
  runId!: string;

  @Column('text')
  prompt!: string;

  /** The stream sequence of its submission. */
  @Column('bigint')
  sequence!: number;
}
