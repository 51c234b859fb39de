import type { Epoch, Instant, JournalId, NodeId } from '#kernel';

/** What is known beside the spawn's own stream when the next step is asked for. */
export interface SpawnContext {
  readonly now: Instant;
  readonly epoch: Epoch;
  /** The one node, by its own stream (read from the leader) and whoever judges its life. */
  readonly node: SpawnNode;
  /** Its slot there; read from the leader. */
  readonly slot: SpawnSlot;
  /** The agent, by its own stream. */
  readonly agent: 'none' | 'alive' | 'ended';
  /** This process has published the frame; saves a publish, decides nothing. */
  readonly framePublished: boolean;
  /** Whoever asked for it stands at the door again. One that was refused for want of readiness waits for that. */
  readonly callerAsks: boolean;
  /** When this process last asked its node; null = never. */
  readonly lastAskedAt: Instant | null;
  readonly windows: SpawnWindows;
}

export interface SpawnNode {
  readonly liveness: 'alive' | 'silent' | 'unclear' | 'gone';
  /** Its name now. What was claimed for another name is not placed. */
  readonly name: string | null;
  readonly journalId: JournalId | null;
  /** It offers the harness that is asked for. */
  readonly capable: boolean;
  /** The node takes work, and the harness says that it is ready. */
  readonly ready: boolean;
  readonly hasRoom: boolean;
}

export interface SpawnSlot {
  /** The round that holds a slot; null = none does. */
  readonly round: number | null;
  readonly state: 'none' | 'reserved' | 'occupied';
  readonly reservedAt: Instant;
  /** Every round up to this one is fenced. */
  readonly fenced: number;
}

export interface SpawnWindows {
  /** How long a round may be reserved, ms. */
  readonly reservationMs: number;
  /** From the dispatch to the moment when an unclaimed one is revoked, or one that can't be asked is unknown, ms. */
  readonly retryAfterMs: number;
  /** A spawn that was not dispatched for so long expires, ms. */
  readonly neverDispatchedMs: number;
  /** How often a node is asked about the same spawn, ms. */
  readonly repeatMs: number;
}

export type SpawnStep =
  | { readonly kind: 'reserve'; readonly round: number }
  | { readonly kind: 'dispatch'; readonly round: number; readonly journalId: JournalId }
  | { readonly kind: 'publishFrame'; readonly generation: number }
  | { readonly kind: 'decideRelease'; readonly round: number; readonly reason: string }
  /** On the node: gives the slot back, if there is one, and fences the round. */
  | { readonly kind: 'releaseSlot'; readonly round: number; readonly reason: string }
  /** Left out: on the node that it was placed on before. */
  | { readonly kind: 'intendPlacement'; readonly round: number; readonly nodeId?: NodeId }
  | { readonly kind: 'expire' }
  | { readonly kind: 'revoke'; readonly generation: number; readonly reason: string }
  /** What became of it? The node reports through commands; no answer, and the time up, makes it unknown. */
  | { readonly kind: 'ask'; readonly generation: number }
  | { readonly kind: 'settleUnknown'; readonly reason: string }
  | { readonly kind: 'occupySlot'; readonly round: number }
  /** Its agent is to end: told to its node until that proves that it has. */
  | { readonly kind: 'sendStop'; readonly generation: number };
