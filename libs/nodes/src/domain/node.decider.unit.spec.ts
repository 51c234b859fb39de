import { describe, expect, it } from '@jest/globals';
import { fold } from '#kernel';
import { deciderSpec } from '#testing';
import { NODE, evolveNode, initialNode, type NodeCommand } from './node.decider.js';
import type { NodeEvent } from './node.events.js';

const nodeId = 'node-1';
const now = 1_000;
const at = now;
const description = {
  name: 'build machine',
  capabilities: ['linux'],
  capacity: 2,
  maxRuns: 16,
  agents: ['agent-1'],
};
const given = deciderSpec(NODE, nodeId);

const join = (changes: Partial<Extract<NodeCommand, { type: 'JoinNode' }>> = {}): NodeCommand => ({
  type: 'JoinNode',
  nodeId,
  now,
  description,
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  leaseHolder: null,
  ...changes,
});
const joined = (journalId = 'journal-1', changes: Partial<typeof description> = {}): NodeEvent => ({
  type: 'NodeJoined',
  data: { nodeId, at, ...description, ...changes, journalId },
});
const started = (incarnation = 'incarnation-1'): NodeEvent => ({
  type: 'NodeStarted',
  data: { nodeId, at, incarnation },
});
const replaced = (journalId: string, previous: string): NodeEvent => ({
  type: 'NodeJournalReplaced',
  data: { nodeId, at, journalId, previous },
});
const left: NodeEvent = { type: 'NodeLeft', data: { nodeId, at, reason: 'drained' } };
const MEMBER: readonly NodeEvent[] = [joined(), started()];

describe('a node that joins', () => {
  it('is a member, and started', () => given([]).when(join()).then(MEMBER));

  it('again under the same incarnation is no news', () => given(MEMBER).when(join()).then([]));

  it('after a restart of its agent has started anew', () =>
    given(MEMBER)
      .when(join({ incarnation: 'incarnation-2' }))
      .then([started('incarnation-2')]));

  it('is not held up by its own lease, which its last incarnation left behind', () =>
    given(MEMBER)
      .when(
        join({
          incarnation: 'incarnation-2',
          leaseHolder: { journalId: 'journal-1', incarnation: 'incarnation-1' },
        }),
      )
      .then([started('incarnation-2')]));

  it('with another journal while a lease lives is another machine under the same name', () =>
    given(MEMBER)
      .when(
        join({
          journalId: 'journal-2',
          incarnation: 'incarnation-2',
          leaseHolder: { journalId: 'journal-1', incarnation: 'incarnation-1' },
        }),
      )
      .thenRefuses('node_already_joined', { nodeId, journalId: 'journal-1' }));

  it('with another journal when the lease is over has its journal replaced', () =>
    given(MEMBER)
      .when(join({ journalId: 'journal-2', incarnation: 'incarnation-2' }))
      .then([replaced('journal-2', 'journal-1'), started('incarnation-2')]));

  it('with other words about itself has changed', () =>
    given(MEMBER)
      .when(join({ description: { ...description, maxRuns: 4 } }))
      .then([{ type: 'NodeChanged', data: { nodeId, at, ...description, maxRuns: 4 } }]));

  it('after it left is a member again', () =>
    given([...MEMBER, left])
      .when(join({ incarnation: 'incarnation-2' }))
      .then([joined(), started('incarnation-2')]));

  it('after it left, with another journal, has its journal replaced as well', () =>
    given([...MEMBER, left])
      .when(join({ journalId: 'journal-2', incarnation: 'incarnation-2' }))
      .then([joined('journal-2'), replaced('journal-2', 'journal-1'), started('incarnation-2')]));
});

describe('a node that leaves', () => {
  const leave = (journalId = 'journal-1'): NodeCommand => ({
    type: 'LeaveNode',
    nodeId,
    now,
    journalId,
    reason: 'drained',
  });

  it('is no member any more', () => given(MEMBER).when(leave()).then([left]));

  it.each([
    ['it has left already', [...MEMBER, left], 'journal-1'],
    ['it never joined', [], 'journal-1'],
    ['a replaced journal says so', [...MEMBER, replaced('journal-2', 'journal-1')], 'journal-1'],
  ])('is left alone when %s', (_what, history, journalId) =>
    given(history).when(leave(journalId)).then([]),
  );
});

describe('the journals that a node has joined with', () => {
  const journalsAfter = (history: readonly NodeEvent[]) =>
    fold(evolveNode, initialNode(nodeId), history).journals;

  it('are all remembered, with what replaced them: after a restore each must answer', () => {
    expect(
      journalsAfter([
        ...MEMBER,
        replaced('journal-2', 'journal-1'),
        replaced('journal-3', 'journal-2'),
      ]),
    ).toStrictEqual([
      { journalId: 'journal-1', replacedBy: 'journal-2' },
      { journalId: 'journal-2', replacedBy: 'journal-3' },
      { journalId: 'journal-3', replacedBy: null },
    ]);
  });

  it('count as current again when one comes back', () => {
    expect(
      journalsAfter([
        ...MEMBER,
        replaced('journal-2', 'journal-1'),
        replaced('journal-1', 'journal-2'),
      ]),
    ).toStrictEqual([
      { journalId: 'journal-2', replacedBy: 'journal-1' },
      { journalId: 'journal-1', replacedBy: null },
    ]);
  });

  it('are forgotten, the oldest first, past a hundred', () => {
    const many = Array.from({ length: 120 }, (_, index) =>
      replaced(`journal-${index + 2}`, `journal-${index + 1}`),
    );
    const journals = journalsAfter([...MEMBER, ...many]);
    expect([journals.length, journals[0]?.journalId, journals.at(-1)?.journalId]).toStrictEqual([
      100,
      'journal-22',
      'journal-121',
    ]);
  });
});
