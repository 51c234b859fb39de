import type { ReadinessView } from './readiness.view.js';
import type { NodeView, ProjectionView, RunView } from './views.js';

/** What was looked at just now; or why it could not be, which says nothing about how it stands. One of the two is null. */
export interface Found<Value> {
  readonly value: Value | null;
  /** One sentence. Never contains an address with a password. */
  readonly why: string | null;
}

/** `GET /v1/system`: what is slow, and who does what. Times are durations in milliseconds unless they say otherwise. */
export interface SystemView extends ReadSideSystemView {
  /** When it was looked at, RFC 3339. */
  readonly at: string;
  /** What this gateway needs, and the durability in force. */
  readonly readiness: ReadinessView;
  /** How long this gateway took to answer lately, the slowest route first. */
  readonly requests: readonly RequestTimesView[];
}

/** `hf.qry.system.get`: what the read side knows of the system. Each part is looked at by itself. */
export interface ReadSideSystemView {
  readonly windows: Found<SystemWindowsView>;
  /** Each read model: its position, and how far it is behind. */
  readonly projections: Found<readonly ProjectionView[]>;
  /** Of each work that one process does at a time: which one. */
  readonly holders: Found<readonly HolderView[]>;
  /** What each saga has not handled yet. */
  readonly sagas: Found<readonly SagaView[]>;
  /** The nodes of the caller's workspace, each judged by its lease, up to 200. */
  readonly nodes: Found<readonly NodeView[]>;
  readonly broker: Found<BrokerView>;
  readonly database: Found<DatabaseView>;
  /** Of each open status the run that was submitted first. */
  readonly oldestRuns: Found<readonly RunView[]>;
}

/** The windows in force, of those that say when something is late. */
export interface SystemWindowsView {
  readonly leaseMs: number;
  readonly renewalMs: number;
  readonly dispatchMs: number;
  readonly sweepMs: number;
  readonly ackWaitMs: number;
}

export interface HolderView {
  readonly role: 'projector' | 'reconciler';
  /** What is done: the name of a read model, or `runs` for the reconciler. */
  readonly of: string;
  /** The process that does it; null when none does. */
  readonly holder: string | null;
  /** How long ago the database last heard of it, which it should every 2 s. */
  readonly heardMsAgo: number | null;
}

export interface SagaView {
  /** `runs`, `sessions`, `stops`. */
  readonly name: string;
  /** Commits that were not handed to any process yet. */
  readonly waiting: number;
  /** Commits that some process has in hand. */
  readonly inWork: number;
  /** Commits in hand that were handed out more than once. */
  readonly again: number;
  /** How long ago the oldest commit was stored that is not handled; 0 when all are. */
  readonly oldestMs: number;
  /** Requests for more that processes have open; 0 = nobody takes anything. */
  readonly takers: number;
}

export interface BrokerView {
  readonly serverVersion: string;
  readonly roundTripMs: number;
  readonly streams: readonly StreamView[];
}

export interface StreamView {
  readonly name: string;
  readonly lastSequence: number;
  readonly bytes: number;
  readonly copies: number;
  /** Copies that lack something, or can't be reached. */
  readonly copiesBehind: number;
}

export interface DatabaseView {
  readonly roundTripMs: number;
}

export interface RequestTimesView {
  /** `GET /v1/runs/:id`. */
  readonly route: string;
  /** Of so many requests, at most: the newest of the last five minutes. */
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
