import type {
  Epoch,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  RunId,
  SessionId,
  WorkspaceId,
} from '#kernel';
import type { SpawnOrder } from './spawn.wire.js';
import type { AttemptEnd, GenerationKind, OutputSummary, Receipts } from '#runs/contract';

/** One generation of a run, addressed to one journal of one node. Published once, on a subject of its own. */
export interface Frame {
  readonly workspace: WorkspaceId;
  readonly node: NodeId;
  readonly journalId: JournalId;
  readonly runId: RunId;
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly epoch: Epoch;
  readonly generation: number;
  readonly kind: GenerationKind;
  /** Only with `initial`: a resume never carries the prompt. */
  readonly prompt: string | null;
  /** With `resume`: what is known of the turn to look at. */
  readonly thread: string | null;
  readonly turn: string | null;
  /** The key given to a runtime that deduplicates or can be read back by key: the run's, not the generation's. */
  readonly key: string;
  /** It starts an agent; a run when left out. */
  readonly spawn?: SpawnOrder;
  /** The trace that it belongs to; its journal keeps it, so that a restarted node goes on in it. */
  readonly traceparent?: string;
}

/** `hf.cmd.runs.claim.<workspace>.<node>`: may this incarnation start this generation? */
export interface ClaimRequest {
  readonly runId: RunId;
  readonly generation: number;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
}
/** `refused` is final for this entry: it is closed unstarted. Anything else than an answer proves nothing: ask again. */
export type ClaimAnswer =
  { readonly claim: 'granted' } | { readonly claim: 'refused'; readonly reason: string };

interface ReportBase extends ClaimRequest {
  /** Sequence of the last journal record that the report covers: names the report over retries. */
  readonly journalSequence: number;
}
/** `hf.cmd.runs.report.<workspace>.<node>`: what a node knows, as its journal holds it. */
export type RunReport =
  | (ReportBase & {
      readonly kind: 'not-started';
      readonly disproves: Incarnation;
      readonly proof: string;
    })
  | (ReportBase & { readonly kind: 'receipts'; readonly receipts: Receipts })
  | (ReportBase & { readonly kind: 'running'; readonly evidence: string })
  | (ReportBase & {
      readonly kind: 'ended';
      readonly end: AttemptEnd;
      readonly output: OutputSummary;
      readonly receipts: Receipts;
    });
/** What a report may hold at most: a node keeps to it, since a refused report would say nothing at all. */
export const REPORT_BOUNDS = {
  /** Reasons and proofs. Bytes in UTF-8. */
  sentenceBytesMax: 4_000,
  /** Codes, and a runtime's own names for threads and turns. Bytes in UTF-8. */
  referenceBytesMax: 1_000,
  /** Processes that are named as alive. */
  remainsMax: 256,
} as const;

/** The report is recorded, or was no news. */
export interface ReportAnswer {
  readonly recorded: boolean;
}

/** `hf.ask.<workspace>.<node>`: a saga asks the journal that a generation names. */
export interface AskRequest {
  readonly question:
    /** What became of it? The node answers, and reports what it knows through commands. */
    | 'status'
    /** End it: unstarted work is closed, a running program goes down the ladder. */
    | 'stop'
    /** After a restore: close (durably) what this run has in older epochs, refuse its late frames, or say that it started. */
    | 'close-older-epochs';
  /** What the id names; a run when left out. A journal that never saw it reports it as that. */
  readonly work?: 'run' | 'spawn';
  readonly runId: RunId;
  readonly generation: number;
  /** Only this journal may answer. */
  readonly journalId: JournalId;
  readonly epoch: Epoch;
  /** The incarnation that holds the claim, if the stream knows one. */
  readonly holder: Incarnation | null;
}
export type AskAnswer =
  /** Another journal answers the phone: it knows nothing of this work, and says only that. */
  | { readonly answer: 'other-journal'; readonly journalId: JournalId }
  | {
      readonly journalId: JournalId;
      readonly incarnation: Incarnation;
      readonly answer: WorkStanding;
      /** With `started`, after a restore: which generation was started, and by whom. */
      readonly generation?: number;
      readonly startedBy?: Incarnation;
    };
export type WorkStanding =
  /** The journal has never heard of it, and has now closed it. */
  | 'never-seen'
  /** Journalled, waits for a free place. */
  | 'waiting'
  /** Between the claim and `go`. */
  | 'starting'
  | 'running'
  | 'stopping'
  /** Ended; the report is on its way (again). */
  | 'ended'
  /** Closed without a start. */
  | 'closed'
  /** To `close-older-epochs`: an entry of this run holds `go`. */
  | 'started';

/** `hf.cmd.nodes.join.<workspace>.<node>` */
export interface JoinRequest {
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly capacity: number;
  readonly maxRuns: number;
  readonly agents: readonly JoiningAgent[];
  /** What it can start agents with; an older node says nothing of it. */
  readonly harnesses?: readonly string[];
}
export interface JoiningAgent {
  readonly name: string;
  readonly runtime: string;
  readonly attempts: 'single' | 'resumable';
  readonly deduplicatesByKey: boolean;
  readonly readBackByKey: boolean;
  readonly interruptible: boolean;
  readonly outlivesClient: boolean;
  readonly promptBy: 'argument' | 'stdin';
}
export interface JoinAnswer {
  readonly epoch: Epoch;
  /** The durable consumer that delivers this node's frames. */
  readonly frameConsumer: string;
  readonly joinedAt: Instant;
}
