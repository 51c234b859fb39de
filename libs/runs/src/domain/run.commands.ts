import type {
  Epoch,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  PrincipalId,
  RunId,
  StopId,
} from '#kernel';
import type {
  AttemptEnd,
  OutputSummary,
  Receipts,
  UnknownCode,
  UnknownEvidence,
} from '../contract/index.js';
import type { RunSubmitted } from './run.events.js';

interface Base {
  readonly runId: RunId;
  readonly now: Instant;
}
/** Every report of a node names the work that it speaks of. */
interface OfGeneration extends Base {
  readonly generation: number;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
}

export interface SubmitRun extends Base, Omit<RunSubmitted['data'], 'runId' | 'at'> {
  readonly type: 'SubmitRun';
}
export interface DispatchRun extends Base {
  readonly type: 'DispatchRun';
  readonly generation: number;
  readonly node: NodeId;
  readonly journalId: JournalId;
  readonly startBefore: Instant;
  readonly askAt: Instant;
  readonly epoch: Epoch;
  /** After a restore: every journal that had joined answered that it holds no start of this run. */
  readonly journalsAnswered: boolean;
}
export interface ExtendStartWindow extends Base {
  readonly type: 'ExtendStartWindow';
  readonly generation: number;
  readonly startBefore: Instant;
  readonly askAt: Instant;
}
export interface RevokeDispatch extends Base {
  readonly type: 'RevokeDispatch';
  readonly generation: number;
  readonly reason: string;
  readonly epoch: Epoch;
  /** The journal that the generation names answered that it closed the entry, durably. */
  readonly closedByJournal: boolean;
}
export interface ClaimRun extends OfGeneration {
  readonly type: 'ClaimRun';
  readonly epoch: Epoch;
}
export interface ReportNotStarted extends OfGeneration {
  readonly type: 'ReportNotStarted';
  /** The incarnation whose claim is disproved: the one that took the frame. */
  readonly disproves: Incarnation;
  readonly proof: string;
  readonly epoch: Epoch;
}
export interface ReportReceipts extends OfGeneration {
  readonly type: 'ReportReceipts';
  readonly receipts: Receipts;
}
export interface ReportEnd extends OfGeneration {
  readonly type: 'ReportEnd';
  readonly end: AttemptEnd;
  readonly output: OutputSummary;
  readonly receipts: Receipts;
  readonly epoch: Epoch;
}
export interface ReportRunning extends OfGeneration {
  readonly type: 'ReportRunning';
  readonly evidence: string;
}
export interface RecordOutcomeUnknown extends Base {
  readonly type: 'RecordOutcomeUnknown';
  readonly generation: number;
  readonly code: UnknownCode;
  readonly witness: 'node' | 'saga' | 'reconciler';
  readonly evidence: UnknownEvidence;
  readonly fenced: boolean;
  readonly epoch: Epoch;
}
export interface StrandRun extends Base {
  readonly type: 'StrandRun';
  readonly windowMs: number;
  /** Since when it was admitted with its node online. */
  readonly since: Instant;
  readonly epoch: Epoch;
}
export interface RequestRunStop extends Base {
  readonly type: 'RequestRunStop';
  readonly stopId: StopId;
  readonly reason: string;
  readonly principal: PrincipalId;
  readonly epoch: Epoch;
}
export interface ResolveRun extends Base {
  readonly type: 'ResolveRun';
  readonly as: 'completed' | 'failed' | 'abandoned';
  readonly note: string;
  readonly actor: PrincipalId;
}

export type RunCommand =
  | SubmitRun
  | DispatchRun
  | ExtendStartWindow
  | RevokeDispatch
  | ClaimRun
  | ReportNotStarted
  | ReportReceipts
  | ReportEnd
  | ReportRunning
  | RecordOutcomeUnknown
  | StrandRun
  | RequestRunStop
  | ResolveRun;
