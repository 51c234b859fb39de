import type { Incarnation, Instant, JournalId, NodeId, WorkspaceId } from '#kernel';

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
  readonly journalId: JournalId;
  readonly incarnation: Incarnation | null;
  readonly joinedAt: Instant;
  /** Since when this incarnation is known. */
  readonly startedAt: Instant | null;
  readonly leftAt: Instant | null;
  readonly updatedAt: Instant;
  readonly sequence: number;
}
