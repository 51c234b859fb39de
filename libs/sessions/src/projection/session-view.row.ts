import type { Instant, RunId, SessionId, WorkspaceId } from '#kernel';

/** A session that was ever named: who holds its place, and who waits for it. One that only its opener used has no row. */
export interface SessionRow {
  readonly workspace: WorkspaceId;
  readonly sessionId: SessionId;
  readonly activeRunId: RunId;
  /** First come, first served; at most 1,000. */
  readonly queue: readonly RunId[];
  readonly updatedAt: Instant;
  readonly sequence: number;
}
