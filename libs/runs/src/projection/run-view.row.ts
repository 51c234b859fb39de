import type { AgentName, Instant, NodeId, RunId, SessionId, StopId, WorkspaceId } from '#kernel';
import type { RunStatus, SettledBy, UnknownCode } from '../contract/index.js';

/** A run as lists and pages show it, and when its saga must look at it again. Its prompt is kept apart. */
export interface RunRow {
  readonly workspace: WorkspaceId;
  readonly runId: RunId;
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly node: NodeId;
  readonly runtime: string;
  readonly status: RunStatus;
  /** Its session lets it run; true from the start for the run that opened its session. */
  readonly admitted: boolean;
  readonly code: string | null;
  readonly settledBy: SettledBy | null;
  readonly submittedBy: string;
  readonly submittedAt: Instant;
  /** Of the current generation; null while queued. */
  readonly dispatchedAt: Instant | null;
  /** The first claim that was not disproved. */
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly updatedAt: Instant;
  readonly generation: number;
  /** Entries into the runtime, counting a running one. */
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly sentAt: Instant | null;
  readonly ackedAt: Instant | null;
  readonly observedAt: Instant | null;
  readonly thread: string | null;
  readonly turn: string | null;
  readonly exitCode: number | null;
  readonly outputBytes: number | null;
  readonly outputSha256: string | null;
  readonly outputTruncated: boolean | null;
  readonly stopId: StopId | null;
  readonly stopRequestedAt: Instant | null;
  readonly stopReason: string | null;
  /** The six of an unknown outcome: set while it is unknown. */
  readonly unknownCode: UnknownCode | null;
  readonly unknownWitness: 'node' | 'saga' | 'reconciler' | null;
  readonly unknownReason: string | null;
  readonly unknownFenced: boolean | null;
  readonly unknownSince: Instant | null;
  readonly unknownLastHeardAt: Instant | null;
  /** Pieces of evidence that came too late to change anything. */
  readonly lateEvidence: number;
  /** One of them shows a start that must not have been. */
  readonly alarming: boolean;
  /** When a claimed generation without a receipt is asked about. */
  readonly askAt: Instant | null;
  /** The newest generation that a receipt came from; 0 = none came. */
  readonly receiptOf: number;
  /** When the reconciler hands it to its saga; null while only an event can move it on. */
  readonly lookAgainAt: Instant | null;
  readonly sequence: number;
}
