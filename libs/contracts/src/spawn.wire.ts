import type { Incarnation, JournalId, SpawnId } from '#kernel';

/**
 * With this in a frame, an agent is started instead of a run: the frame's `runId`, `sessionId` and `key` are the spawn's
 * id, its `agent` is the name that the agent goes by, its `prompt` the agent's task; its kind is `initial`.
 */
export interface SpawnOrder {
  /** The template in the node's configuration that says how such an agent is started. */
  readonly harness: string;
  /** Where it is to work: an absolute path on the node; null leaves that to the harness. */
  readonly directory: string | null;
}

/** `hf.cmd.spawns.claim.<workspace>.<node>`: may this incarnation start this agent? Answered as a claim of a run is. */
export interface SpawnClaimRequest {
  readonly spawnId: SpawnId;
  readonly generation: number;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
}

interface SpawnReportBase extends SpawnClaimRequest {
  /** Sequence of the last journal record that the report covers: names the report over retries. */
  readonly journalSequence: number;
}
/** `hf.cmd.spawns.report.<workspace>.<node>`: what a node knows of an agent, as its journal holds it. */
export type SpawnReport =
  | (SpawnReportBase & {
      readonly kind: 'not-started';
      /** The incarnation whose claim is disproved: the one that took the frame. */
      readonly disproves: Incarnation;
      readonly proof: string;
    })
  /** It was started, and is alive. */
  | (SpawnReportBase & {
      readonly kind: 'started';
      readonly evidence: string;
      readonly workerCwd: string | null;
    })
  /** It was started, and has ended. */
  | (SpawnReportBase & {
      readonly kind: 'ended';
      readonly evidence: string;
      readonly workerCwd: string | null;
    });
