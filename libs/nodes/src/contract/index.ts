import type { Incarnation, JournalId, NodeId, WorkspaceId } from '#kernel';

export * from './node-briefs.js';
/** Published: the read model of spawns learns from them who holds a slot. */
export type { NodeEvent, SlotEvent } from '../domain/node.events.js';

/** A journal that a node has ever joined with. After a restore each of them must answer, or count as lost. */
export interface KnownJournal {
  readonly journalId: JournalId;
  readonly replacedBy: JournalId | null;
}

/** A node as its own stream says. */
export interface KnownNode {
  /** The journal that it has joined with; null when it is not a member. */
  readonly journalId: JournalId | null;
  readonly incarnation: Incarnation | null;
  /** Every journal that it ever joined with. */
  readonly journals: readonly KnownJournal[];
}

/** Looks nodes up. */
export interface NodeDirectory {
  /** @param consistency `leader` where something is concluded from what is not there. */
  find(workspace: WorkspaceId, node: NodeId, consistency: 'any' | 'leader'): Promise<KnownNode>;
}
export const NODE_DIRECTORY = Symbol('NodeDirectory');

export * from './lease.js';
export * from './liveness.js';
export * from './slots.js';
