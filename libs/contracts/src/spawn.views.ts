import type {
  CallerSpawnStatus,
  SpawnFailureCode,
  SpawnKind,
  SpawnResolution,
} from '#spawns/contract';
import type { Answered } from './answered.js';

/**
 * What the two strict spawn routes answer, in the spelling of their contract. From the dispatch on it is a snapshot: what
 * was true when the order was intended to leave, whatever the node is called since.
 */
export interface StrictSpawnView {
  readonly invocation_id: string;
  readonly status: CallerSpawnStatus;
  /** The node that it is bound to. */
  readonly handler_node_id: string;
  readonly handler_node_name: string;
  /** The node that its order was sent to: the same one, or null before the dispatch. */
  readonly dispatched_node_id: string | null;
  readonly dispatched_node_name: string | null;
  readonly dispatch_generation: number;
  /** RFC 3339 with milliseconds. */
  readonly dispatched_at: string | null;
  readonly retry_after_at: string | null;
  /** Where its agent works, as its node said; null while that is not known. */
  readonly worker_cwd: string | null;
  readonly failure_code: SpawnFailureCode | null;
  /** While it is pending: what it waits for, in a plain sentence. */
  readonly waits_for: string | null;
  /** The contract that was applied: only where what is stored proves it. */
  readonly spawn_contract_applied?: string;
}
/** `hf.cmd.spawns.strictInvoke`, `hf.cmd.spawns.replay` */
export type StrictSpawnAnswer = Answered<StrictSpawnView>;

/** What a generic spawn answers. */
export interface SpawnAcceptedView {
  readonly spawnId: string;
  readonly status: CallerSpawnStatus;
}
/** `hf.cmd.spawns.create` */
export type SpawnAnswer = Answered<SpawnAcceptedView>;
/** `hf.cmd.spawns.resolve` */
export type SpawnResolutionAnswer = Answered<{
  readonly spawnId: string;
  readonly resolution: SpawnResolution;
}>;
/** `hf.cmd.nodes.drain`, `hf.cmd.nodes.return` */
export type NodeServiceAnswer = Answered<{ readonly nodeId: string; readonly drained: boolean }>;

/** `GET /v1/spawns`. Times are RFC 3339 with milliseconds. */
export interface SpawnView {
  readonly spawnId: string;
  readonly kind: SpawnKind;
  readonly agentName: string;
  readonly harness: string;
  readonly status: CallerSpawnStatus;
  /** Why it failed. */
  readonly code: SpawnFailureCode | null;
  /** While pending or dispatched, or while its slot waits for somebody: for what, in a plain sentence. */
  readonly waitsFor: string | null;
  /** The node that it is bound to, or was placed on; null before a generic one is placed. */
  readonly nodeId: string | null;
  readonly nodeName: string | null;
  /** Of a generic spawn: what its node must have. */
  readonly capabilities: readonly string[];
  readonly directory: string | null;
  readonly workerCwd: string | null;
  readonly verifyReady: boolean;
  readonly requestedBy: string;
  readonly claimedAt: string;
  readonly dispatchedAt: string | null;
  readonly retryAfterAt: string | null;
  /** When it completed or failed. */
  readonly settledAt: string | null;
  readonly updatedAt: string;
  readonly round: number;
  readonly generation: number;
  /** Its place on its node, as the node's own stream says. */
  readonly slot: 'none' | 'reserved' | 'occupied';
  /** `maybe`: nobody could say whether it was started. */
  readonly agent: 'none' | 'maybe' | 'alive' | 'ended';
  readonly stop: {
    readonly stopId: string;
    readonly requestedAt: string;
    readonly reason: string;
  } | null;
  /** While nobody could say whether it was started, and nobody has said since what became of that. */
  readonly unknown: {
    readonly reason: string;
    readonly witness: 'node' | 'saga' | 'reconciler';
    readonly since: string;
    readonly lastHeardAt: string | null;
    readonly advice: string;
  } | null;
  readonly resolution: {
    readonly as: SpawnResolution;
    readonly note: string;
    readonly actor: string;
    readonly at: string;
  } | null;
  /** Evidence that came too late to change the answer; and whether it shows a start that must not be. */
  readonly lateEvidence: number;
  readonly alarming: boolean;
  /** Position of the newest event that this view contains. */
  readonly sequence: number;
}

/** `GET /v1/spawns/{id}`: the view, and the task. */
export interface SpawnDetailView extends SpawnView {
  readonly task: string;
}

/** Who holds one place of a node, since when, and why. */
export interface SlotView {
  readonly spawnId: string;
  readonly agentName: string;
  readonly harness: string;
  readonly state: 'reserved' | 'occupied';
  readonly round: number;
  readonly since: string;
  /** In a plain sentence. */
  readonly why: string;
}
