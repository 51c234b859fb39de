import type { AgentName, Instant, RunId, SessionId, StopId, WorkspaceId } from '#kernel';
import type { RunStatus, SettledBy } from './run.contract.js';

/** What other slices show of a run. */
export interface RunBrief {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly status: RunStatus;
  /** Of an unknown outcome: proven to run no longer. */
  readonly fenced: boolean;
}

/** What a run's stream says about a stop. */
export interface RunStopEvidence {
  readonly status: RunStatus;
  /** The stop that was recorded on the run first: it decides the state. Null while none is. */
  readonly stopId: StopId | null;
  readonly settledBy: SettledBy | null;
  /** How it was shown to have stopped, and what of it was not; null unless it is stopped. */
  readonly stopped: {
    readonly proof: string;
    readonly remains: readonly string[];
    readonly at: Instant;
  } | null;
}

/** Looks runs up for other slices. A run that was just accepted is found. */
export interface RunLookup {
  /** Those of the named runs that exist, by id. */
  briefsOf(workspace: WorkspaceId, runIds: readonly RunId[]): Promise<ReadonlyMap<RunId, RunBrief>>;
  /** Read from the run's stream; undefined when there is no such run. */
  stopEvidenceOf(workspace: WorkspaceId, runId: RunId): Promise<RunStopEvidence | undefined>;
}
export const RUN_LOOKUP = Symbol('RunLookup');
