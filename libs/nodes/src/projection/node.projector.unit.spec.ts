import { describe, expect, it } from '@jest/globals';
import type { NodeEvent, SlotEvent } from '../domain/index.js';
import type { NodeRow, SlotRow } from './node-view.row.js';
import { projectNode, projectSlotOf } from './node.projector.js';

const description = {
  name: 'a node',
  capabilities: ['gpu'],
  capacity: 3,
  maxRuns: 16,
  agents: ['echo'],
  harnesses: ['cli'],
};
const joined: NodeEvent = {
  type: 'NodeJoined',
  data: { nodeId: 'n1', at: 1, ...description, journalId: 'j1' },
};
const started: NodeEvent = {
  type: 'NodeStarted',
  data: { nodeId: 'n1', at: 2, incarnation: 'i1' },
};
const left: NodeEvent = { type: 'NodeLeft', data: { nodeId: 'n1', at: 5, reason: 'retired' } };
const project = (events: readonly NodeEvent[]): NodeRow | undefined =>
  events.reduce<NodeRow | undefined>(
    (row, event, index) =>
      projectNode(row, event, { workspace: 'main', sequence: index + 1 }) ?? row,
    undefined,
  );
const row = (over: Partial<NodeRow>): NodeRow => ({
  ...description,
  workspace: 'main',
  nodeId: 'n1',
  membership: 'member',
  journalId: 'j1',
  incarnation: null,
  joinedAt: 1,
  startedAt: null,
  leftAt: null,
  drainReason: null,
  drainActor: null,
  drainedAt: null,
  updatedAt: 1,
  sequence: 1,
  ...over,
});

describe('the row of a node', () => {
  it('NodeJoined', () => expect(project([joined])).toStrictEqual(row({})));

  it('NodeStarted', () =>
    expect(project([joined, started])).toStrictEqual(
      row({ incarnation: 'i1', startedAt: 2, updatedAt: 2, sequence: 2 }),
    ));

  it('NodeJournalReplaced', () =>
    expect(
      project([
        joined,
        {
          type: 'NodeJournalReplaced',
          data: { nodeId: 'n1', at: 3, journalId: 'j2', previous: 'j1' },
        },
      ]),
    ).toStrictEqual(row({ journalId: 'j2', updatedAt: 3, sequence: 2 })));

  it('NodeChanged', () =>
    expect(
      project([
        joined,
        {
          type: 'NodeChanged',
          data: { nodeId: 'n1', at: 4, ...description, agents: [], maxRuns: 1 },
        },
      ]),
    ).toStrictEqual(row({ agents: [], maxRuns: 1, updatedAt: 4, sequence: 2 })));

  it('NodeLeft', () =>
    expect(project([joined, started, left])).toStrictEqual(
      row({
        incarnation: 'i1',
        startedAt: 2,
        membership: 'left',
        leftAt: 5,
        updatedAt: 5,
        sequence: 3,
      }),
    ));

  it('NodeJoined again: a member since then, known by its last start', () =>
    expect(
      project([
        joined,
        started,
        left,
        { ...joined, data: { ...joined.data, at: 9, journalId: 'j9' } },
      ]),
    ).toStrictEqual(
      row({
        incarnation: 'i1',
        startedAt: 2,
        journalId: 'j9',
        joinedAt: 9,
        updatedAt: 9,
        sequence: 4,
      }),
    ));

  const drained: NodeEvent = {
    type: 'NodeDrained',
    data: { nodeId: 'n1', at: 6, reason: 'repair', actor: 'user:ada' },
  };
  const DRAINED = { drainReason: 'repair', drainActor: 'user:ada', drainedAt: 6 };

  it('NodeDrained: why, by whom, since when', () =>
    expect(project([joined, drained])).toStrictEqual(
      row({ ...DRAINED, updatedAt: 6, sequence: 2 }),
    ));

  it('NodeDrained: stays out of service when it leaves and joins again', () =>
    expect(project([joined, drained, left, joined])).toStrictEqual(
      row({ ...DRAINED, sequence: 4 }),
    ));

  it('NodeReturned', () =>
    expect(project([joined, drained, { ...drained, type: 'NodeReturned' }])).toStrictEqual(
      row({ updatedAt: 6, sequence: 3 }),
    ));

  it('NodeRenamed', () =>
    expect(
      project([
        joined,
        { type: 'NodeRenamed', data: { nodeId: 'n1', at: 7, name: 'other', previous: 'a node' } },
      ]),
    ).toStrictEqual(row({ name: 'other', updatedAt: 7, sequence: 2 })));

  it('NodeJoined by a node that knows of no spawns', () => {
    const { harnesses: _, ...data } = description;
    expect(
      project([{ type: 'NodeJoined', data: { nodeId: 'n1', at: 1, ...data, journalId: 'j1' } }]),
    ).toStrictEqual(row({ harnesses: [] }));
  });

  it('is news when one of its slots changes', () => {
    const released: NodeEvent = {
      type: 'SlotReleased',
      data: { nodeId: 'n1', at: 8, spawnId: 's1', round: 1, until: 9, reason: 'r' },
    };
    expect(project([joined, released])).toStrictEqual(row({ updatedAt: 8, sequence: 2 }));
  });

  it('is not made of events whose beginning is missing', () =>
    expect(project([started, left])).toBeUndefined());
});

describe('the row of a slot', () => {
  const slot = { nodeId: 'n1', spawnId: 's1', round: 1 };
  const reserved = (round = 1): SlotEvent => ({
    type: 'SlotReserved',
    data: {
      ...slot,
      round,
      at: 1,
      token: 'token',
      until: 9,
      snapshot: { nodeName: 'a node', agentName: 'reviewer', harness: 'cli' },
    },
  });
  const occupied: SlotEvent = { type: 'SlotOccupied', data: { ...slot, at: 2 } };
  const released = (round = 1): SlotEvent => ({
    type: 'SlotReleased',
    data: { ...slot, round, at: 3, until: 9, reason: 'given back' },
  });
  const after = (...events: readonly SlotEvent[]): SlotRow | undefined =>
    events.reduce<SlotRow | undefined>(
      (before, event, index) =>
        projectSlotOf('s1', before, event, { workspace: 'main', sequence: index + 1 }),
      undefined,
    );
  const held: SlotRow = {
    ...slot,
    workspace: 'main',
    state: 'reserved',
    agentName: 'reviewer',
    harness: 'cli',
    since: 1,
    sequence: 1,
  };

  it('is reserved, occupied and given back', () => {
    expect(after(reserved())).toStrictEqual(held);
    const taken = { ...held, state: 'occupied', since: 2, sequence: 2 };
    expect(after(reserved(), occupied)).toStrictEqual(taken);
    const free = { ...held, state: 'released', since: 3, sequence: 3 };
    expect(after(reserved(), occupied, released())).toStrictEqual(free);
  });

  it('is given again, for another round', () =>
    expect(after(reserved(), released(), reserved(2))).toStrictEqual({
      ...held,
      round: 2,
      sequence: 3,
    }));

  it('is kept when an older round is fenced', () =>
    expect(after(reserved(2), released(1))).toStrictEqual({ ...held, round: 2 }));

  it('is not made by a fence alone', () => expect(after(released(), occupied)).toBeUndefined());

  it('is none of another spawn', () =>
    expect(projectSlotOf('s2', undefined, reserved(), { workspace: 'main', sequence: 1 })).toBe(
      undefined,
    ));
});
