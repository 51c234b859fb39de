import type {
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  PrincipalId,
  SpawnId,
  WorkspaceId,
} from '#kernel';

/** A node as its own stream tells it. Whether it lives is not here: that is judged when somebody asks. */
export interface NodeRow {
  readonly workspace: WorkspaceId;
  readonly nodeId: NodeId;
  readonly name: string;
  readonly membership: 'member' | 'left';
  readonly capabilities: readonly string[];
  readonly capacity: number;
  readonly maxRuns: number;
  /** The agents that its configuration names. */
  readonly agents: readonly string[];
  /** What it can spawn agents of. */
  readonly harnesses: readonly string[];
  /** Out of service: why, by whom, since when; all null while it is in service. */
  readonly drainReason: string | null;
  readonly drainActor: PrincipalId | null;
  readonly drainedAt: Instant | null;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation | null;
  readonly joinedAt: Instant;
  /** Since when this incarnation is known. */
  readonly startedAt: Instant | null;
  readonly leftAt: Instant | null;
  readonly updatedAt: Instant;
  readonly sequence: number;
}

/** A place of a node that a spawn has, or had. */
export interface SlotRow {
  readonly workspace: WorkspaceId;
  readonly nodeId: NodeId;
  readonly spawnId: SpawnId;
  readonly state: 'reserved' | 'occupied' | 'released';
  readonly round: number;
  /** For whom it was given, as it was then. */
  readonly agentName: string;
  readonly harness: string;
  /** Since when it is what it is. */
  readonly since: Instant;
  readonly sequence: number;
}
