import type {
  Epoch,
  Incarnation,
  Instant,
  JournalId,
  NodeId,
  PrincipalId,
  SpawnId,
  StopId,
} from '#kernel';
import type { SpawnResolution, SpawnUnknownEvidence } from '../contract/index.js';
import type { SpawnRequestFacts } from './spawn.events.js';

interface Base {
  readonly spawnId: SpawnId;
  readonly now: Instant;
}
/** Every report of a node names the work that it speaks of. */
interface OfGeneration extends Base {
  readonly generation: number;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
}

/** Somebody wants an agent. A strict spawn is placed in the same commit. */
export interface ClaimSpawn extends Base, SpawnRequestFacts {
  readonly type: 'ClaimSpawn';
  readonly epoch: Epoch;
  /** Of a strict spawn: its token, 32 hexadecimal digits, and how long its first round may be reserved. */
  readonly place: { readonly token: string; readonly until: Instant } | null;
}
export interface IntendPlacement extends Base {
  readonly type: 'IntendPlacement';
  readonly round: number;
  readonly nodeId: NodeId;
  /** Used when it has none yet; a spawn keeps its token. */
  readonly token: string;
  readonly until: Instant;
  /** Its node fenced every round before this one; read from the leader. */
  readonly released: boolean;
}
export interface DecideRelease extends Base {
  readonly type: 'DecideRelease';
  readonly round: number;
  readonly reason: string;
}
export interface DispatchSpawn extends Base {
  readonly type: 'DispatchSpawn';
  readonly round: number;
  /** Its slot, read from the leader; null when it has none. */
  readonly slot: { readonly round: number; readonly reservedAt: Instant } | null;
  readonly nodeName: string;
  readonly journalId: JournalId;
  readonly retryAfterAt: Instant;
  readonly epoch: Epoch;
}
export interface RevokeSpawnDispatch extends Base {
  readonly type: 'RevokeSpawnDispatch';
  readonly generation: number;
  readonly reason: string;
  readonly epoch: Epoch;
}
export interface ExpireSpawn extends Base {
  readonly type: 'ExpireSpawn';
  readonly windowMs: number;
}
export interface SettleSpawnUnknown extends Base {
  readonly type: 'SettleSpawnUnknown';
  readonly witness: 'node' | 'saga' | 'reconciler';
  readonly evidence: SpawnUnknownEvidence;
  readonly epoch: Epoch;
}
export interface ClaimSpawnFrame extends OfGeneration {
  readonly type: 'ClaimSpawnFrame';
  readonly epoch: Epoch;
}
export interface ReportAgentStarted extends OfGeneration {
  readonly type: 'ReportAgentStarted';
  readonly evidence: string;
  readonly workerCwd: string | null;
}
/** It was started, and has ended. */
export interface ReportAgentEnded extends OfGeneration {
  readonly type: 'ReportAgentEnded';
  readonly evidence: string;
  readonly workerCwd: string | null;
}
export interface ReportAgentNotStarted extends OfGeneration {
  readonly type: 'ReportAgentNotStarted';
  /** The incarnation whose claim is disproved: the one that took the frame. */
  readonly disproves: Incarnation;
  readonly proof: string;
}
export interface ResolveSpawn extends Base {
  readonly type: 'ResolveSpawn';
  readonly as: SpawnResolution;
  readonly note: string;
  readonly actor: PrincipalId;
}
export interface RequestAgentStop extends Base {
  readonly type: 'RequestAgentStop';
  readonly stopId: StopId;
  readonly reason: string;
  readonly principal: PrincipalId;
}

export type SpawnCommand =
  | ClaimSpawn
  | IntendPlacement
  | DecideRelease
  | DispatchSpawn
  | RevokeSpawnDispatch
  | ExpireSpawn
  | SettleSpawnUnknown
  | ClaimSpawnFrame
  | ReportAgentStarted
  | ReportAgentEnded
  | ReportAgentNotStarted
  | ResolveSpawn
  | RequestAgentStop;
