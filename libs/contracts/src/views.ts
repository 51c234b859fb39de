import type { RunStatus, SettledBy, UnknownCode } from '#runs/contract';
import type { SlotView, SpawnView } from './spawn.views.js';

/** What the HTTP API and the query service answer. Times are RFC 3339 with milliseconds; ids are strings. */

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

export interface SubmissionView {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: 'queued';
}

export interface RunView {
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly node: string;
  readonly status: RunStatus;
  /** While open: what it waits for, in a plain sentence. */
  readonly waitsFor: string | null;
  readonly code: string | null;
  readonly settledBy: SettledBy | null;
  readonly submittedBy: string;
  readonly submittedAt: string;
  readonly dispatchedAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly updatedAt: string;
  readonly generation: number;
  /** Entries into the runtime, counting a running one. */
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly runtime: string;
  readonly receipts: {
    readonly sentAt: string | null;
    readonly ackedAt: string | null;
    readonly observedAt: string | null;
    readonly thread: string | null;
    readonly turn: string | null;
  };
  readonly exitCode: number | null;
  readonly output: {
    readonly bytes: number;
    readonly sha256: string;
    readonly truncated: boolean;
  } | null;
  readonly stop: {
    readonly stopId: string;
    readonly requestedAt: string;
    readonly reason: string;
  } | null;
  readonly unknown: UnknownView | null;
  /** Evidence that came too late to change anything: how many pieces, and whether one shows a start that must not be. */
  readonly lateEvidence: number;
  readonly alarming: boolean;
  /** Position of the newest event that this view contains. */
  readonly sequence: number;
}

/** Why an outcome is not known, and what can be done. Never contains prompt text or output. */
export interface UnknownView {
  readonly code: UnknownCode;
  readonly witness: 'node' | 'saga' | 'reconciler';
  readonly reason: string;
  /** Proven to run no longer: its session goes on. */
  readonly fenced: boolean;
  readonly since: string;
  readonly lastHeardAt: string | null;
  readonly advice: string;
}

/**
 * `GET /v1/unknowns`: what waits for proof, or for an operator. A run has a `runId`, a spawn a `spawnId`, and neither the
 * other's.
 */
export type UnknownItemView = RunView | SpawnView;

/** `GET /v1/runs/{id}`: the view, and the prompt. */
export interface RunDetailView extends RunView {
  readonly prompt: string;
}

export interface TimelineEntryView {
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly command: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OutputChunkView {
  readonly sequence: number;
  readonly generation: number;
  /** Byte offset in that generation's output. */
  readonly offset: number;
  /** Base64: output need not be text. */
  readonly data: string;
}
export interface OutputView {
  readonly items: readonly OutputChunkView[];
  /** Pass it as `after` to read on. */
  readonly next: number;
  /** The run is settled, and all that was kept has been read. */
  readonly complete: boolean;
  /** Bytes that the node counted and that are not here: lost with their node, or still on their way. */
  readonly missingBytes: number;
  readonly truncated: boolean;
}

export interface SessionView {
  readonly sessionId: string;
  readonly agent: string;
  readonly activeRunId: string;
  readonly queue: readonly string[];
  readonly waitsFor: string | null;
}

export interface AgentView {
  readonly name: string;
  readonly node: string;
  readonly status: 'registered' | 'ended';
  readonly runtime: string;
  readonly attempts: 'single' | 'resumable';
  readonly capabilities: {
    readonly deduplicatesByKey: boolean;
    readonly readBackByKey: boolean;
    readonly interruptible: boolean;
    readonly outlivesClient: boolean;
  };
  readonly promptBy: 'argument' | 'stdin';
  readonly registeredAt: string;
}

export interface NodeView {
  readonly id: string;
  readonly name: string;
  readonly membership: 'member' | 'left';
  /** Judged now, by the broker's clock: `unclear` while it can't be judged. */
  readonly liveness: 'alive' | 'silent' | 'unclear';
  readonly recovering: boolean;
  readonly lastHeardAt: string | null;
  readonly capabilities: readonly string[];
  readonly capacity: number;
  readonly maxRuns: number;
  readonly running: number;
  readonly waiting: number;
  readonly agents: readonly string[];
  /** What it can start agents with. */
  readonly harnesses: readonly string[];
  /** Those of them that are not ready, as its lease says. */
  readonly notReady: readonly string[];
  /** Taken out of service: why, by whom, since when. */
  readonly drained: {
    readonly reason: string;
    readonly actor: string;
    readonly since: string;
  } | null;
  /** Places that are taken. */
  readonly slots: readonly SlotView[];
  readonly journalId: string;
  readonly incarnation: string | null;
  readonly joinedAt: string;
}

export interface StopView {
  readonly stopId: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAt: string;
  /**
   * `proven`: all of it is shown to have stopped; `pending`: not yet; `unknown`: can't be known, or `remains` names what may
   * go on; `too-late`: it had settled before.
   */
  readonly outcome: 'pending' | 'proven' | 'unknown' | 'too-late';
  readonly proof: string | null;
  /** What may go on: process ids, or a turn in a runtime that nobody could ask. */
  readonly remains: readonly string[];
  readonly runStatus: RunStatus | null;
}

export interface ProjectionView {
  readonly name: string;
  readonly generation: string;
  readonly epoch: number;
  /** Stream sequence that the rows contain. */
  readonly position: number;
  /** Stream sequence that could be contained. */
  readonly end: number;
  readonly lag: number;
  /** How long ago the first event was stored that is not contained, ms; 0 when level with the stream. */
  readonly lagMs: number;
  /** Why it was stopped, in plain words; null while it goes on. */
  readonly finding: string | null;
  readonly updatedAt: string | null;
}

export interface CallerView {
  readonly principal: string;
  readonly role: 'operator' | 'agent' | 'viewer';
  readonly workspace: string;
}

/** One change of `GET /v1/changes`: what to read again. */
export interface ChangeView {
  readonly kind: 'run' | 'node' | 'agent' | 'session' | 'spawn';
  readonly id: string;
  readonly status: string;
}

/** `application/problem+json`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly requestId: string;
  readonly errors?: readonly { readonly path: string; readonly problem: string }[];
}
