import type { AgentName, Instant, NodeId, WorkspaceId } from '#kernel';

/** An address that work can be submitted to, and what its runtime can do. */
export interface AgentRow {
  readonly workspace: WorkspaceId;
  readonly name: AgentName;
  readonly node: NodeId;
  readonly status: 'registered' | 'ended';
  readonly runtime: string;
  readonly attempts: 'single' | 'resumable';
  readonly deduplicatesByKey: boolean;
  readonly readBackByKey: boolean;
  readonly interruptible: boolean;
  readonly outlivesClient: boolean;
  readonly promptBy: 'argument' | 'stdin';
  /** Since when it can be addressed without a break. */
  readonly registeredAt: Instant;
  readonly updatedAt: Instant;
  readonly sequence: number;
}
