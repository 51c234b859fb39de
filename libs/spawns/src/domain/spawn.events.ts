import type {
  Epoch,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  PrincipalId,
  SpawnId,
  StopId,
} from '#kernel';
import type { SpawnKind, SpawnResolution, SpawnUnknownEvidence } from '../contract/index.js';

interface Base {
  readonly spawnId: SpawnId;
  readonly at: Instant;
}

/** What was asked for, word for word. A repeat under the same key must ask for the same. */
export interface SpawnRequestFacts {
  readonly kind: SpawnKind;
  /** Of a strict spawn: {@link STRICT_SPAWN_CONTRACT}. Stored, and checked again before anything is resumed. */
  readonly contract: string | null;
  readonly principal: PrincipalId;
  readonly key: string;
  /** HMAC of the request as sent: tells a repeat from another request under the same key. */
  readonly fingerprint: string;
  /** Of a strict spawn: the one node, by id and by name. */
  readonly nodeId: NodeId | null;
  readonly nodeName: string | null;
  /** Of a generic spawn: what its node must have. */
  readonly capabilities: readonly string[];
  readonly agentName: string;
  readonly harness: string;
  readonly task: string;
  readonly directory: string | null;
  readonly verifyReady: boolean;
}

/** The spawn exists; its id comes from the caller's key, and this is the first commit of its subject. */
export interface SpawnClaimed {
  readonly type: 'SpawnClaimed';
  readonly data: Base & SpawnRequestFacts & { readonly epoch: Epoch };
}
/** A round: which node is meant. Nothing is reserved yet. */
export interface SpawnPlacementIntended {
  readonly type: 'SpawnPlacementIntended';
  readonly data: Base & {
    readonly round: number;
    readonly token: string;
    readonly nodeId: NodeId;
    /** A slot for this round may be reserved until then. */
    readonly until: Instant;
  };
}
/** The round is given up before anything left: from here on, only its release may follow on the node. */
export interface SpawnReservationReleaseDecided {
  readonly type: 'SpawnReservationReleaseDecided';
  readonly data: Base & { readonly round: number; readonly reason: string };
}
/** Intended to leave: appended before the frame. `at` is the one clock reading that every time-out runs from. */
export interface SpawnDispatched {
  readonly type: 'SpawnDispatched';
  readonly data: Base & {
    readonly round: number;
    readonly token: string;
    readonly generation: number;
    readonly nodeId: NodeId;
    /** The node's name at the dispatch: later answers show it, whatever the node is called by then. */
    readonly nodeName: string;
    readonly journalId: JournalId;
    readonly reservedAt: Instant;
    readonly retryAfterAt: Instant;
    readonly epoch: Epoch;
  };
}
export interface SpawnDispatchRevoked {
  readonly type: 'SpawnDispatchRevoked';
  readonly data: Base & { readonly generation: number; readonly reason: string };
}
/** The node may start it, once it is told so: the compare-and-set on this subject decides. */
export interface SpawnFrameClaimed {
  readonly type: 'SpawnFrameClaimed';
  readonly data: Base & {
    readonly generation: number;
    readonly journalId: JournalId;
    readonly incarnation: Incarnation;
  };
}
/** Its agent was started. That it may have ended since is another fact, of the agent. */
export interface SpawnCompleted {
  readonly type: 'SpawnCompleted';
  readonly data: Base & {
    readonly generation: number;
    readonly evidence: string;
    /** Where its node had the agent work. */
    readonly workerCwd: string | null;
  };
}
export interface SpawnFailed {
  readonly type: 'SpawnFailed';
  readonly data: Base & {
    readonly code: 'never_received' | 'agent_not_started';
    readonly reason: string;
  };
}
export interface SpawnExpired {
  readonly type: 'SpawnExpired';
  readonly data: Base & { readonly code: 'never_dispatched_expired'; readonly ageMs: number };
}
/** Terminal for callers. Its slot stays held: an agent may be alive. */
export interface SpawnSettledUnknown {
  readonly type: 'SpawnSettledUnknown';
  readonly data: Base & {
    readonly code: 'spawn_outcome_unknown';
    readonly witness: 'node' | 'saga' | 'reconciler';
    readonly evidence: SpawnUnknownEvidence;
  };
}
/** True, too late to change the answer; it may free the slot, or show that an agent lives. */
export interface SpawnLateEvidenceRecorded {
  readonly type: 'SpawnLateEvidenceRecorded';
  readonly data: Base & {
    readonly generation: number;
    readonly agent: 'lives' | 'gone';
    readonly evidence: string;
    /** An agent was started that was held to be certainly unsent: a finding of the highest severity. */
    readonly showsStart: boolean;
  };
}
/** An operator says what becomes of an agent that may be alive. */
export interface SpawnResolved {
  readonly type: 'SpawnResolved';
  readonly data: Base & {
    readonly as: SpawnResolution;
    readonly note: string;
    readonly actor: PrincipalId;
  };
}
export interface SpawnAgentStopRequested {
  readonly type: 'SpawnAgentStopRequested';
  readonly data: Base & {
    readonly stopId: StopId;
    readonly reason: string;
    readonly principal: PrincipalId;
  };
}

export type SpawnEvent =
  | SpawnClaimed
  | SpawnPlacementIntended
  | SpawnReservationReleaseDecided
  | SpawnDispatched
  | SpawnDispatchRevoked
  | SpawnFrameClaimed
  | SpawnCompleted
  | SpawnFailed
  | SpawnExpired
  | SpawnSettledUnknown
  | SpawnLateEvidenceRecorded
  | SpawnResolved
  | SpawnAgentStopRequested;
