import {
  RuleViolation,
  type Decider,
  type Incarnation,
  type Instant,
  type JournalId,
  type NodeId,
  type PrincipalId,
} from '#kernel';
import type { KnownJournal } from '../contract/index.js';
import type { NodeDescription, NodeEvent } from './node.events.js';
import { decideSlot, type SlotCommand } from './slot.decider.js';
import { NO_SLOTS, evolveSlots, type SlotKeeper } from './slot.state.js';

export interface NodeState extends SlotKeeper {
  readonly nodeId: NodeId;
  readonly description: NodeDescription | null;
  readonly journalId: JournalId | null;
  readonly incarnation: Incarnation | null;
  /** Since when this incarnation is known. */
  readonly startedAt: Instant | null;
  readonly journals: readonly KnownJournal[];
  /** How many commits were folded: decides when a snapshot is due. */
  readonly commits: number;
}

export const initialNode = (nodeId: string): NodeState => ({
  nodeId,
  status: 'none',
  description: null,
  journalId: null,
  incarnation: null,
  startedAt: null,
  journals: [],
  drained: false,
  slots: NO_SLOTS,
  commits: 0,
});

interface Base {
  readonly nodeId: NodeId;
  readonly now: Instant;
}
export interface JoinNode extends Base {
  readonly type: 'JoinNode';
  readonly description: NodeDescription;
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
  /** The lease of this node id still lives, under the journal and incarnation that it names; null when it does not. */
  readonly leaseHolder: { readonly journalId: JournalId; readonly incarnation: Incarnation } | null;
}
export interface LeaveNode extends Base {
  readonly type: 'LeaveNode';
  readonly journalId: JournalId;
  readonly reason: string;
}
/** An operator takes it out of service. */
export interface DrainNode extends Base {
  readonly type: 'DrainNode';
  readonly reason: string;
  readonly actor: PrincipalId;
}
/** An operator puts it back. */
export interface ReturnNode extends Base {
  readonly type: 'ReturnNode';
  readonly reason: string;
  readonly actor: PrincipalId;
}
export type NodeCommand = JoinNode | LeaveNode | DrainNode | ReturnNode | SlotCommand;

/** A node has joined with at most this many journals; the oldest that were replaced are forgotten. */
const JOURNALS_MAX = 100;

export const evolveNode = (node: NodeState, event: NodeEvent): NodeState => {
  const commits = node.commits + 1;
  switch (event.type) {
    case 'NodeJoined': {
      const { journalId } = event.data;
      const description = descriptionIn(event.data);
      const journals = withJournal(node.journals, journalId, null);
      return { ...node, commits, status: 'member', description, journalId, journals };
    }
    case 'NodeStarted':
      return { ...node, commits, incarnation: event.data.incarnation, startedAt: event.data.at };
    case 'NodeJournalReplaced': {
      const { journalId, previous } = event.data;
      const journals = withJournal(node.journals, journalId, previous);
      return { ...node, commits, journalId, journals };
    }
    case 'NodeChanged':
      return { ...node, commits, description: descriptionIn(event.data) };
    case 'NodeRenamed': {
      const { name } = event.data;
      return { ...node, commits, description: node.description && { ...node.description, name } };
    }
    case 'NodeDrained':
      return { ...node, commits, drained: true };
    case 'NodeReturned':
      return { ...node, commits, drained: false };
    case 'NodeLeft':
      return { ...node, commits, status: 'left' };
    case 'SlotReserved':
    case 'SlotReleased':
    case 'SlotOccupied':
      return { ...node, commits, slots: evolveSlots(node.slots, event) };
  }
};

const descriptionIn = (data: NodeDescription): NodeDescription => {
  const { name, capabilities, capacity, maxRuns, agents, harnesses = [] } = data;
  return { name, capabilities, capacity, maxRuns, agents, harnesses };
};

const withJournal = (
  journals: readonly KnownJournal[],
  journalId: JournalId,
  previous: JournalId | null,
): readonly KnownJournal[] =>
  [
    ...journals
      .filter((known) => known.journalId !== journalId)
      .map((known) => (known.journalId === previous ? { ...known, replacedBy: journalId } : known)),
    { journalId, replacedBy: null },
  ].slice(-JOURNALS_MAX);

export const decideNode = (command: NodeCommand, node: NodeState): readonly NodeEvent[] => {
  switch (command.type) {
    case 'JoinNode':
      return join(command, node);
    case 'LeaveNode': {
      const { nodeId, journalId, reason, now: at } = command;
      if (node.status !== 'member' || node.journalId !== journalId) return [];
      return [{ type: 'NodeLeft', data: { nodeId, at, reason } }];
    }
    case 'DrainNode':
    case 'ReturnNode':
      return drainOrReturn(command, node);
    case 'ReserveSlot':
    case 'ReleaseSlot':
    case 'OccupySlot':
      return decideSlot(command, node);
  }
};

const drainOrReturn = (command: DrainNode | ReturnNode, node: NodeState): readonly NodeEvent[] => {
  const { type, nodeId, reason, actor, now: at } = command;
  if (node.status !== 'member') throw new RuleViolation('node_not_found', { nodeId });
  if (node.drained === (type === 'DrainNode')) return [];
  const data = { nodeId, at, reason, actor };
  return [{ type: type === 'DrainNode' ? 'NodeDrained' : 'NodeReturned', data }];
};

const join = (command: JoinNode, node: NodeState): readonly NodeEvent[] => {
  const { nodeId, description, journalId, incarnation, leaseHolder, now: at } = command;
  // Another journal under a living lease is another machine under the same name.
  if (leaseHolder !== null && leaseHolder.journalId !== journalId)
    throw new RuleViolation('node_already_joined', { nodeId, journalId: leaseHolder.journalId });
  const started: NodeEvent[] =
    node.incarnation === incarnation
      ? []
      : [{ type: 'NodeStarted', data: { nodeId, at, incarnation } }];
  if (node.status !== 'member' || node.description === null || node.journalId === null) {
    const replaced: NodeEvent[] =
      node.journalId !== null && node.journalId !== journalId
        ? [
            {
              type: 'NodeJournalReplaced',
              data: { nodeId, at, journalId, previous: node.journalId },
            },
          ]
        : [];
    return [
      { type: 'NodeJoined', data: { nodeId, at, ...description, journalId } },
      ...replaced,
      ...started,
    ];
  }
  const replaced: NodeEvent[] =
    node.journalId === journalId
      ? []
      : [
          {
            type: 'NodeJournalReplaced',
            data: { nodeId, at, journalId, previous: node.journalId },
          },
        ];
  return [...replaced, ...changed(nodeId, at, node.description, description), ...started];
};

/** Another name alone is a fact of its own: what was dispatched under the old one keeps it. */
const changed = (
  nodeId: NodeId,
  at: Instant,
  before: NodeDescription,
  now: NodeDescription,
): readonly NodeEvent[] => {
  if (sameDescription(before, now)) return [];
  if (!sameDescription({ ...before, name: now.name }, now))
    return [{ type: 'NodeChanged', data: { nodeId, at, ...now } }];
  const { name } = now;
  return [{ type: 'NodeRenamed', data: { nodeId, at, name, previous: before.name } }];
};

const sameDescription = (one: NodeDescription, other: NodeDescription): boolean =>
  one.name === other.name &&
  one.capacity === other.capacity &&
  one.maxRuns === other.maxRuns &&
  sameList(one.capabilities, other.capabilities) &&
  sameList(one.agents, other.agents) &&
  sameList(one.harnesses ?? [], other.harnesses ?? []);

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

export const NODE: Decider<NodeCommand, NodeState, NodeEvent> = {
  aggregate: 'node',
  initialState: initialNode,
  evolve: evolveNode,
  decide: decideNode,
};
