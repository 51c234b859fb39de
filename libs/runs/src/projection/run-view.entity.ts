import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type { RunStatus, SettledBy, UnknownCode } from '../contract/index.js';
import type { RunRow } from './run-view.row.js';

/** A moment: `timestamptz` in the database, milliseconds in the code. */
const Time = (name: string): PropertyDecorator =>
  Column('timestamptz', { name, transformer: TIME });
const MaybeTime = (name: string): PropertyDecorator =>
  Column('timestamptz', { name, nullable: true, transformer: TIME });
const MaybeText = (name: string): PropertyDecorator => Column('text', { name, nullable: true });

/**
 * One row a run. Each index serves one way of asking, newest first; the last two are for changes, and for the reconciler,
 * which looks at all open runs and must not walk past the settled ones.
 */
@Entity('run_view')
@Index('run_view_newest', ['workspace', 'submittedAt', 'runId'])
@Index('run_view_status', ['workspace', 'status', 'submittedAt', 'runId'])
@Index('run_view_agent', ['workspace', 'agent', 'submittedAt', 'runId'])
@Index('run_view_node', ['workspace', 'node', 'submittedAt', 'runId'])
@Index('run_view_session', ['workspace', 'sessionId', 'submittedAt', 'runId'])
@Index('run_view_change', ['workspace', 'change'])
@Index('run_view_open', ['workspace', 'runId'], {
  where:
    "(status = ANY (ARRAY['queued'::text, 'dispatched'::text, 'running'::text, 'stopping'::text, 'unknown'::text]))",
})
export class RunViewEntity implements RunRow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'run_view_pk' })
  workspace!: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'run_view_pk' })
  runId!: string;

  @Column('text', { name: 'session_id' })
  sessionId!: string;

  @Column('text')
  agent!: string;

  @Column('text')
  node!: string;

  @Column('text')
  runtime!: string;

  @Column('text')
  status!: RunStatus;

  @Column('boolean')
  admitted!: boolean;

  @MaybeText('code')
  code!: string | null;

  @MaybeText('settled_by')
  settledBy!: SettledBy | null;

  @Column('text', { name: 'submitted_by' })
  submittedBy!: string;

  @Time('submitted_at')
  submittedAt!: number;

  @MaybeTime('dispatched_at')
  dispatchedAt!: number | null;

  @MaybeTime('started_at')
  startedAt!: number | null;

  @MaybeTime('ended_at')
  endedAt!: number | null;

  @Time('updated_at')
  updatedAt!: number;

  @Column('integer')
  generation!: number;

  @Column('integer')
  attempts!: number;

  @Column('integer', { name: 'attempts_max' })
  attemptsMax!: number;

  @MaybeTime('sent_at')
  sentAt!: number | null;

  @MaybeTime('acked_at')
  ackedAt!: number | null;

  @MaybeTime('observed_at')
  observedAt!: number | null;

  @MaybeText('thread')
  thread!: string | null;

  @MaybeText('turn')
  turn!: string | null;

  @Column('integer', { name: 'exit_code', nullable: true })
  exitCode!: number | null;

  @Column('bigint', { name: 'output_bytes', nullable: true })
  outputBytes!: number | null;

  @MaybeText('output_sha256')
  outputSha256!: string | null;

  @Column('boolean', { name: 'output_truncated', nullable: true })
  outputTruncated!: boolean | null;

  @MaybeText('stop_id')
  stopId!: string | null;

  @MaybeTime('stop_requested_at')
  stopRequestedAt!: number | null;

  @MaybeText('stop_reason')
  stopReason!: string | null;

  @MaybeText('unknown_code')
  unknownCode!: UnknownCode | null;

  @MaybeText('unknown_witness')
  unknownWitness!: 'node' | 'saga' | 'reconciler' | null;

  @MaybeText('unknown_reason')
  unknownReason!: string | null;

  @Column('boolean', { name: 'unknown_fenced', nullable: true })
  unknownFenced!: boolean | null;

  @MaybeTime('unknown_since')
  unknownSince!: number | null;

  @MaybeTime('unknown_last_heard_at')
  unknownLastHeardAt!: number | null;

  @Column('integer', { name: 'late_evidence' })
  lateEvidence!: number;

  @Column('boolean')
  alarming!: boolean;

  @MaybeTime('ask_at')
  askAt!: number | null;

  @Column('integer', { name: 'receipt_of' })
  receiptOf!: number;

  @MaybeTime('look_again_at')
  lookAgainAt!: number | null;

  @Column('bigint')
  sequence!: number;

  /** The number of its newest change: see {@link ChangeCounterEntity}. */
  @Column('bigint')
  change!: number;
}
