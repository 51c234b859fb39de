import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TIME } from '#postgres';
import type {
  SpawnFailureCode,
  SpawnKind,
  SpawnResolution,
  SpawnStatus,
} from '../contract/index.js';
import type { SpawnRow } from './spawn-view.row.js';

/** A moment: `timestamptz` in the database, milliseconds in the code. */
const Time = (name: string): PropertyDecorator =>
  Column('timestamptz', { name, transformer: TIME });
const MaybeTime = (name: string): PropertyDecorator =>
  Column('timestamptz', { name, nullable: true, transformer: TIME });
const MaybeText = (name: string): PropertyDecorator => Column('text', { name, nullable: true });

const primaryKeyConstraintName = 'spawn_view_pk';

/**
 * One row a spawn. Each index serves one way of asking, newest first; the last three are for who accounts for slots, for changes,
 * and for the reconciler, which looks at all open spawns and must not walk past the settled ones.
 */
@Entity('spawn_view')
@Index('spawn_view_newest', ['workspace', 'claimedAt', 'spawnId'])
@Index('spawn_view_status', ['workspace', 'status', 'claimedAt', 'spawnId'])
@Index('spawn_view_node', ['workspace', 'nodeId', 'claimedAt', 'spawnId'])
@Index('spawn_view_unanswered', ['workspace', 'claimedAt', 'spawnId'], { where: 'unanswered' })
@Index('spawn_view_slot', ['workspace', 'slotNodeId'], { where: "(slot <> 'none'::text)" })
@Index('spawn_view_change', ['workspace', 'change'])
@Index('spawn_view_open', ['workspace', 'spawnId'], { where: 'open' })
export class SpawnViewEntity implements SpawnRow {
  @PrimaryColumn('text', { primaryKeyConstraintName })
  workspace!: string;

  @PrimaryColumn('text', { name: 'spawn_id', primaryKeyConstraintName })
  spawnId!: string;

  @Column('text')
  kind!: SpawnKind;

  @Column('text', { name: 'agent_name' })
  agentName!: string;

  @Column('text')
  harness!: string;

  @Column('text')
  status!: SpawnStatus;

  @MaybeText('code')
  code!: SpawnFailureCode | null;

  @MaybeText('node_id')
  nodeId!: string | null;

  @MaybeText('node_name')
  nodeName!: string | null;

  @Column('jsonb')
  capabilities!: readonly string[];

  @MaybeText('directory')
  directory!: string | null;

  @MaybeText('worker_cwd')
  workerCwd!: string | null;

  @Column('boolean', { name: 'verify_ready' })
  verifyReady!: boolean;

  @Column('text', { name: 'requested_by' })
  requestedBy!: string;

  @Time('claimed_at')
  claimedAt!: number;

  @MaybeTime('dispatched_at')
  dispatchedAt!: number | null;

  @MaybeTime('retry_after_at')
  retryAfterAt!: number | null;

  @MaybeTime('settled_at')
  settledAt!: number | null;

  @Time('updated_at')
  updatedAt!: number;

  @Column('integer')
  round!: number;

  @Column('integer')
  generation!: number;

  @Column('text')
  slot!: SpawnRow['slot'];

  @Column('integer', { name: 'slot_round', nullable: true })
  slotRound!: number | null;

  @MaybeText('slot_node_id')
  slotNodeId!: string | null;

  @Column('integer')
  fenced!: number;

  @Column('text')
  agent!: SpawnRow['agent'];

  @MaybeText('late_agent')
  lateAgent!: SpawnRow['lateAgent'];

  @MaybeText('stop_id')
  stopId!: string | null;

  @MaybeTime('stop_requested_at')
  stopRequestedAt!: number | null;

  @MaybeText('stop_reason')
  stopReason!: string | null;

  @MaybeText('unknown_reason')
  unknownReason!: string | null;

  @MaybeText('unknown_witness')
  unknownWitness!: SpawnRow['unknownWitness'];

  @MaybeTime('unknown_since')
  unknownSince!: number | null;

  @MaybeTime('unknown_last_heard_at')
  unknownLastHeardAt!: number | null;

  @MaybeText('resolution')
  resolution!: SpawnResolution | null;

  @MaybeText('resolution_note')
  resolutionNote!: string | null;

  @MaybeText('resolution_actor')
  resolutionActor!: string | null;

  @MaybeTime('resolved_at')
  resolvedAt!: number | null;

  @Column('integer', { name: 'late_evidence' })
  lateEvidence!: number;

  @Column('boolean')
  alarming!: boolean;

  @Column('boolean')
  open!: boolean;

  @Column('boolean')
  unanswered!: boolean;

  @Column('bigint')
  sequence!: number;

  /** The number of its newest change: see {@link ChangeCounterEntity}. */
  @Column('bigint')
  change!: number;
}
