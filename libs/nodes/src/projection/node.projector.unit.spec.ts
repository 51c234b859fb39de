import { describe, expect, it } from '@jest/globals';
import type { NodeEvent } from '../domain/index.js';
import type { NodeRow } from './node-view.row.js';
import { projectNode } from './node.projector.js';

const description = {
  name: 'a node',
  capabilities: ['gpu'],
  capacity: 3,
  maxRuns: 16,
  agents: ['echo'],
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

  it('is not made of events whose beginning is missing', () =>
    expect(project([started, left])).toBeUndefined());
});
