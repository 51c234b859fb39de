import type { Incarnation, Instant, JournalId, NodeId } from '#kernel';

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
export type NodeEvent = NodeJoined | NodeStarted | NodeJournalReplaced | NodeChanged | NodeLeft;
