import type { Incarnation, Instant, JournalId, NodeId, PrincipalId, SpawnId } from '#kernel';

interface Base {
  readonly nodeId: NodeId;
  readonly at: Instant;
}
/** What a node says of itself when it joins. */
export interface NodeDescription {
  readonly name: string;
  readonly capabilities: readonly string[];
  /** How many spawned agents it can hold. */
  readonly capacity: number;
  /** How many runs may execute at once. */
  readonly maxRuns: number;
  /** The agents that its configuration names. */
  readonly agents: readonly string[];
  /** What it can spawn agents of. Absent in what nodes said before there were spawns. */
  readonly harnesses?: readonly string[];
}
export interface NodeJoined {
  readonly type: 'NodeJoined';
  readonly data: Base & NodeDescription & { readonly journalId: JournalId };
}
/** A node-agent process started: what an earlier incarnation claimed and did not start is never started. */
export interface NodeStarted {
  readonly type: 'NodeStarted';
  readonly data: Base & { readonly incarnation: Incarnation };
}
/** The node came with another journal: what the old one knew can be asked no more. */
export interface NodeJournalReplaced {
  readonly type: 'NodeJournalReplaced';
  readonly data: Base & { readonly journalId: JournalId; readonly previous: JournalId };
}
export interface NodeChanged {
  readonly type: 'NodeChanged';
  readonly data: Base & NodeDescription;
}
export interface NodeLeft {
  readonly type: 'NodeLeft';
  readonly data: Base & { readonly reason: string };
}
/** It calls itself something else. What was dispatched to it keeps the name of that time. */
export interface NodeRenamed {
  readonly type: 'NodeRenamed';
  readonly data: Base & { readonly name: string; readonly previous: string };
}
/** An operator takes it out of service: it gets nothing new, and finishes what it has. */
export interface NodeDrained {
  readonly type: 'NodeDrained';
  readonly data: Base & { readonly reason: string; readonly actor: PrincipalId };
}
/** It may get work again. */
export interface NodeReturned {
  readonly type: 'NodeReturned';
  readonly data: Base & { readonly reason: string; readonly actor: PrincipalId };
}
/** What a slot was given for, as it was when it was given. */
export interface SlotSnapshot {
  readonly nodeName: string;
  readonly agentName: string;
  readonly harness: string;
}
/** Placement, handler and reservation in one commit. `at` is the time of ownership, which a dispatch does not move. */
export interface SlotReserved {
  readonly type: 'SlotReserved';
  readonly data: Base & {
    readonly spawnId: SpawnId;
    readonly round: number;
    readonly token: string;
    readonly snapshot: SlotSnapshot;
    readonly until: Instant;
  };
}
/** Fences this round and every earlier one, whether a slot was reserved or not. */
export interface SlotReleased {
  readonly type: 'SlotReleased';
  readonly data: Base & {
    readonly spawnId: SpawnId;
    readonly round: number;
    /** When the last of the fenced rounds can be reserved no more, whoever was held up. */
    readonly until: Instant;
    readonly reason: string;
  };
}
/** The reservation is the agent's slot from now on. */
export interface SlotOccupied {
  readonly type: 'SlotOccupied';
  readonly data: Base & { readonly spawnId: SpawnId; readonly round: number };
}
export type SlotEvent = SlotReserved | SlotReleased | SlotOccupied;

export type MembershipEvent =
  | NodeJoined
  | NodeStarted
  | NodeJournalReplaced
  | NodeChanged
  | NodeRenamed
  | NodeDrained
  | NodeReturned
  | NodeLeft;
export type NodeEvent = MembershipEvent | SlotEvent;
