import type {
  AgentName,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  RunId,
  SessionId,
  WorkspaceId,
} from '#kernel';

/** Where a run stands. The first five are open; the last four are settled and never change. */
export const OPEN_RUN_STATUSES = [
  'queued',
  'dispatched',
  'running',
  'stopping',
  'unknown',
] as const;
export const SETTLED_RUN_STATUSES = ['completed', 'failed', 'stopped', 'abandoned'] as const;
export type OpenRunStatus = (typeof OPEN_RUN_STATUSES)[number];
export type SettledRunStatus = (typeof SETTLED_RUN_STATUSES)[number];
export type RunStatus = OpenRunStatus | SettledRunStatus;

export const isSettled = (status: string): status is SettledRunStatus =>
  (SETTLED_RUN_STATUSES as readonly string[]).includes(status);

/**
 * What a runtime can do, declared by its adapter and stored on the run at submission: a later change of
 * configuration does not change what may be done with a run that was accepted under it.
 */
export interface RunClass {
  /** The adapter: `cli`, `resumable-sample`, … */
  readonly runtime: string;
  /** `single`: at most one entry into the runtime. `resumable`: up to {@link RESUMABLE_ATTEMPTS_MAX}, the prompt still sent once. */
  readonly attempts: 'single' | 'resumable';
  /** The runtime refuses or absorbs a second send under the key that it was given (the run's id). */
  readonly deduplicatesByKey: boolean;
  /** A past send can be looked up by that key. */
  readonly readBackByKey: boolean;
  readonly interruptible: boolean;
  /** The work goes on when its client dies. */
  readonly outlivesClient: boolean;
}

/** A resumable run enters its runtime at most this often; a single-attempt run once. */
export const RESUMABLE_ATTEMPTS_MAX = 5;
export const attemptsMax = (runClass: RunClass): number =>
  runClass.attempts === 'resumable' ? RESUMABLE_ATTEMPTS_MAX : 1;

/** `initial` carries the prompt; `resume` carries thread and turn, and never the initial prompt. */
export type GenerationKind = 'initial' | 'resume';

/** Evidence of how far the prompt got; an acknowledgement is not an observation. Times are the node's. */
export interface Receipts {
  /** The prompt left the agent's hands. */
  readonly sent?: Instant;
  /** The runtime said that it took the prompt. Real runtimes lose acknowledged turns. */
  readonly acked?: Instant;
  /** The runtime was seen working on it, in a record that survives its crash. */
  readonly observed?: Instant;
  /** The runtime's own names, once known. */
  readonly thread?: string;
  readonly turn?: string;
}

/** What the node kept of a run's output. The bytes themselves travel beside the events and may be missing. */
export interface OutputSummary {
  readonly bytes: number;
  /** SHA-256, hex, over all bytes of the generation, also those past the bound. */
  readonly sha256: string;
  /** More was written than is kept (16 MiB a run). */
  readonly truncated: boolean;
}

/** How an entry into the runtime ended, as its node can prove it. */
export type AttemptEnd =
  | { readonly how: 'completed'; readonly exitCode: number }
  | { readonly how: 'failed'; readonly code: string; readonly exitCode: number | null }
  /** A resumable turn that the runtime itself ended early, or whose client died: a later generation may look at it. */
  | { readonly how: 'interrupted'; readonly reason: string }
  /** It ended, and what it did can't be known. */
  | {
      readonly how: 'lost';
      readonly reason: string;
      /** What it had started and is still alive, as process ids: an orphan is reported, not ignored. */
      readonly remains?: readonly string[];
    }
  /** The node ended it: for a stop, for its time limit, or because the agent shuts down. */
  | {
      readonly how: 'killed';
      readonly by: 'stop' | 'time-limit' | 'shutdown';
      /** What of it could not be proven gone: process ids, as text. */
      readonly remains: readonly string[];
    };

/** What a stop says of a runtime that goes on without its client, where nobody heard from it that the turn has ended. */
export const TURN_MAY_GO_ON = 'its turn, in a runtime that goes on without its client';

/** What is known of an outcome that is not known. Never contains prompt text or output. */
export interface UnknownEvidence {
  /** In plain words: what was asked, and what came back. */
  readonly reason: string;
  readonly node: NodeId;
  readonly journalId: JournalId;
  readonly incarnation?: Incarnation;
  readonly receipts: Receipts;
  readonly lastHeardAt?: Instant;
}

/** Who can be named as the witness of an unknown outcome, and the code that says so. */
export type UnknownCode = 'RUN_OUTCOME_UNKNOWN' | 'TURN_OUTCOME_UNKNOWN';

/** Who settled a run: its node in the normal course, later proof, an operator, or the reconciler. */
export type SettledBy = 'node' | 'proof' | 'operator' | 'reconciler';

/** What a session needs to know of a run before it releases its place. */
export interface RunForSession {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly exists: boolean;
  /** Settled, or unknown and fenced: its place may be given away. */
  readonly over: boolean;
}

/** Reads runs for sessions, from the leader. */
export interface RunsForSessions {
  read(workspace: WorkspaceId, runId: RunId): Promise<RunForSession>;
}
export const RUNS_FOR_SESSIONS = Symbol('RunsForSessions');

/** Takes whatever steps a run needs now. */
export interface RunAdvancer {
  advance(workspace: WorkspaceId, runId: RunId): Promise<void>;
}
export const RUN_ADVANCER = Symbol('RunAdvancer');
