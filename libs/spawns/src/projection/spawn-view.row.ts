import type { Instant, NodeId, PrincipalId, SpawnId, StopId, WorkspaceId } from '#kernel';
import type {
  SpawnFailureCode,
  SpawnKind,
  SpawnResolution,
  SpawnStatus,
} from '../contract/index.js';

/**
 * A spawn as lists and pages show it, as its own stream, its node's and its agent's tell it together. Its task is kept
 * apart.
 */
export interface SpawnRow {
  readonly workspace: WorkspaceId;
  readonly spawnId: SpawnId;
  readonly kind: SpawnKind;
  readonly agentName: string;
  readonly harness: string;
  readonly status: SpawnStatus;
  readonly code: SpawnFailureCode | null;
  /** Where it is to be started, or was; null before a generic one is placed. */
  readonly nodeId: NodeId | null;
  /** Its name when it was named or chosen; from the dispatch on, as it was then. */
  readonly nodeName: string | null;
  readonly capabilities: readonly string[];
  readonly directory: string | null;
  readonly workerCwd: string | null;
  readonly verifyReady: boolean;
  readonly requestedBy: PrincipalId;
  readonly claimedAt: Instant;
  /** Both of the newest dispatch, also when that was taken back. */
  readonly dispatchedAt: Instant | null;
  readonly retryAfterAt: Instant | null;
  readonly settledAt: Instant | null;
  readonly updatedAt: Instant;
  readonly round: number;
  /** 0 = never dispatched. */
  readonly generation: number;
  readonly slot: 'none' | 'reserved' | 'occupied';
  /** The round and the node that hold the slot; null while none is held. */
  readonly slotRound: number | null;
  readonly slotNodeId: NodeId | null;
  /** Every round up to this one is fenced on its node. */
  readonly fenced: number;
  /** What the agent's own stream says. */
  readonly agent: 'none' | 'alive' | 'ended';
  /** What its node said of the agent too late. */
  readonly lateAgent: 'lives' | 'gone' | null;
  readonly stopId: StopId | null;
  readonly stopRequestedAt: Instant | null;
  readonly stopReason: string | null;
  /** The four of an outcome that nobody could say; they stay when it is answered. */
  readonly unknownReason: string | null;
  readonly unknownWitness: 'node' | 'saga' | 'reconciler' | null;
  readonly unknownSince: Instant | null;
  readonly unknownLastHeardAt: Instant | null;
  readonly resolution: SpawnResolution | null;
  readonly resolutionNote: string | null;
  readonly resolutionActor: PrincipalId | null;
  readonly resolvedAt: Instant | null;
  readonly lateEvidence: number;
  readonly alarming: boolean;
  /** It may need a step, or wait for a moment: the reconciler looks at it. */
  readonly open: boolean;
  /** Nobody could say whether it was started, and nobody has said since what became of that. */
  readonly unanswered: boolean;
  /** The stream sequence of the newest commit that changed it, whichever of the three streams that is of. */
  readonly sequence: number;
}
