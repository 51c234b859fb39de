import type {
  AgentName,
  Epoch,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  PrincipalId,
  RunId,
  SessionId,
  StopId,
} from '#kernel';
import type {
  GenerationKind,
  OutputSummary,
  Receipts,
  RunClass,
  SettledBy,
  UnknownCode,
  UnknownEvidence,
} from '../contract/index.js';

interface Base {
  readonly runId: RunId;
  readonly at: Instant;
}

/** The run exists; its id comes from the caller's key, and this is the first commit of its subject. */
export interface RunSubmitted {
  readonly type: 'RunSubmitted';
  readonly data: Base & {
    readonly sessionId: SessionId;
    /** It opens its session (whose id is the run's) and is admitted by this very event. */
    readonly opensSession: boolean;
    readonly agent: AgentName;
    readonly node: NodeId;
    readonly runClass: RunClass;
    readonly prompt: string;
    readonly principal: PrincipalId;
    /** HMAC of the request as sent: tells a repeat from another request under the same key. */
    readonly fingerprint: string;
    readonly epoch: Epoch;
  };
}
/** A generation is intended: appended before its frame leaves. */
export interface RunDispatched {
  readonly type: 'RunDispatched';
  readonly data: Base & {
    readonly epoch: Epoch;
    readonly generation: number;
    readonly kind: GenerationKind;
    readonly node: NodeId;
    readonly journalId: JournalId;
    /** If it is unclaimed by then, its node is asked whether it waits for a free place. */
    readonly startBefore: Instant;
    /** If it was claimed and no receipt came by then, its node is asked. */
    readonly askAt: Instant;
  };
}
/** The node said that the frame waits for a free place: it gets another window. */
export interface RunStartWindowExtended {
  readonly type: 'RunStartWindowExtended';
  readonly data: Base & {
    readonly generation: number;
    readonly startBefore: Instant;
    readonly askAt: Instant;
  };
}
export interface RunDispatchRevoked {
  readonly type: 'RunDispatchRevoked';
  readonly data: Base & { readonly generation: number; readonly reason: string };
}
/** The node may start, once it is told so: the compare-and-set on this subject decides who starts. */
export interface RunClaimed {
  readonly type: 'RunClaimed';
  readonly data: Base & {
    readonly generation: number;
    readonly journalId: JournalId;
    readonly incarnation: Incarnation;
    readonly attempt: number;
  };
}
/** Proof that a claimed generation was never started, and never will be. */
export interface RunNotStarted {
  readonly type: 'RunNotStarted';
  readonly data: Base & {
    readonly generation: number;
    /** Whose claim it disproves. */
    readonly incarnation: Incarnation;
    readonly proof: string;
    readonly to: 'queued' | 'failed' | 'stopped';
    /** With `to: 'failed'`. */
    readonly code?: string;
  };
}
export interface RunReceiptsRecorded {
  readonly type: 'RunReceiptsRecorded';
  readonly data: Base & { readonly generation: number; readonly receipts: Receipts };
}
/** An entry into a resumable runtime ended without an outcome; the next generation resumes. */
export interface RunAttemptEnded {
  readonly type: 'RunAttemptEnded';
  readonly data: Base & {
    readonly generation: number;
    readonly reason: string;
    readonly receipts: Receipts;
  };
}
export interface RunCompleted {
  readonly type: 'RunCompleted';
  readonly data: Base & {
    readonly generation: number;
    readonly exitCode: number | null;
    readonly output: OutputSummary;
    readonly receipts: Receipts;
    readonly settledBy: SettledBy;
  };
}
export interface RunFailed {
  readonly type: 'RunFailed';
  readonly data: Base & {
    readonly generation: number;
    readonly code: string;
    readonly exitCode: number | null;
    readonly output: OutputSummary | null;
    readonly receipts: Receipts;
    readonly settledBy: SettledBy;
  };
}
/** Admitted, its node online, and yet never dispatched: certainly unsent, so the caller may submit again. */
export interface RunStranded {
  readonly type: 'RunStranded';
  readonly data: Base & { readonly windowMs: number };
}
/** Nobody can say what happened. Open: proof, or an operator, ends it; it is never sent again. */
export interface RunOutcomeUnknown {
  readonly type: 'RunOutcomeUnknown';
  readonly data: Base & {
    readonly generation: number;
    readonly code: UnknownCode;
    readonly witness: 'node' | 'saga' | 'reconciler';
    readonly evidence: UnknownEvidence;
    /** Proven to run no longer: its session may go on. */
    readonly fenced: boolean;
  };
}
/** The process group of an unknown run is proven gone: what it did stays unknown, its session may go on. */
export interface RunFenced {
  readonly type: 'RunFenced';
  readonly data: Base & { readonly generation: number; readonly proof: string };
}
export interface RunObservedRunning {
  readonly type: 'RunObservedRunning';
  readonly data: Base & {
    readonly generation: number;
    readonly incarnation: Incarnation;
    readonly evidence: string;
    readonly to: 'running' | 'stopping';
  };
}
export interface RunStopRequested {
  readonly type: 'RunStopRequested';
  readonly data: Base & {
    readonly stopId: StopId;
    readonly reason: string;
    readonly principal: PrincipalId;
  };
}
export interface RunStopped {
  readonly type: 'RunStopped';
  readonly data: Base & {
    readonly stopId: StopId | null;
    readonly proof: string;
    readonly remains: readonly string[];
    /** What the node reported after the stop had been accepted; the stop decides the state. */
    readonly lateOutcome: string | null;
    readonly settledBy: SettledBy;
  };
}
export interface RunResolved {
  readonly type: 'RunResolved';
  readonly data: Base & {
    readonly as: 'completed' | 'failed' | 'abandoned';
    readonly note: string;
    readonly actor: PrincipalId;
  };
}
/** True, too late to change anything: of an older generation, or of a settled run. */
export interface LateEvidenceRecorded {
  readonly type: 'LateEvidenceRecorded';
  readonly data: Base & {
    readonly generation: number;
    readonly evidence: string;
    /** Shows that an older generation was started: a finding of the highest severity. */
    readonly showsStart: boolean;
  };
}

export type RunEvent =
  | RunSubmitted
  | RunDispatched
  | RunStartWindowExtended
  | RunDispatchRevoked
  | RunClaimed
  | RunNotStarted
  | RunReceiptsRecorded
  | RunAttemptEnded
  | RunCompleted
  | RunFailed
  | RunStranded
  | RunOutcomeUnknown
  | RunFenced
  | RunObservedRunning
  | RunStopRequested
  | RunStopped
  | RunResolved
  | LateEvidenceRecorded;
