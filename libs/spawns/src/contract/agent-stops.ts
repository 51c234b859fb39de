import type { Instant, SpawnId, StopId, WorkspaceId } from '#kernel';

/** What the streams of a spawn and of its agent say about a stop. */
export interface AgentStopEvidence {
  /** The stop that was recorded on the spawn first. Null while none is. */
  readonly stopId: StopId | null;
  /** That the agent has ended, and how its node knows; null while it may live. */
  readonly ended: { readonly proof: string; readonly at: Instant } | null;
}

/** Looks up what has become of the stop of an agent. */
export interface AgentStops {
  /** Read from the streams; undefined when there is no such spawn. */
  stopEvidenceOf(workspace: WorkspaceId, spawnId: SpawnId): Promise<AgentStopEvidence | undefined>;
}
export const AGENT_STOPS = Symbol('AgentStops');
