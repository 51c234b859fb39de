import { describe, expect, it } from '@jest/globals';
import { fold } from '#kernel';
import { deciderSpec } from '#testing';
import { NODE, evolveNode, initialNode, type NodeCommand, type NodeState } from './node.decider.js';
import type { NodeEvent } from './node.events.js';
import {
  nodeId,
  spawnId,
  now,
  at,
  snapshot,
  description,
  left,
  drained,
  returned,
  MEMBER,
  HELD,
} from './slots.fixture.js';
import { slotOf, slotsUsed } from './slot.state.js';

const given = deciderSpec(NODE, nodeId);

const after = (history: readonly NodeEvent[]): NodeState =>
  fold(evolveNode, initialNode(nodeId), history);

describe('an operator', () => {
  const by = { nodeId, now, reason: 'repair', actor: 'principal-1' } as const;
  const drain: NodeCommand = { type: 'DrainNode', ...by };
  const giveBack: NodeCommand = { type: 'ReturnNode', ...by };

  it('takes a node out of service, which keeps what it has', () => {
    given(HELD).when(drain).then([drained]);
    expect(slotsUsed(after([...HELD, drained]).slots)).toBe(1);
  });

  it('takes it out once', () =>
    given([...MEMBER, drained])
      .when(drain)
      .then([]));

  it('puts it back', () =>
    given([...MEMBER, drained])
      .when(giveBack)
      .then([returned]));

  it('puts it back once', () => given(MEMBER).when(giveBack).then([]));

  it.each([
    ['drains', drain],
    ['returns', giveBack],
  ])('%s no node that left', (_what, command) =>
    given([...MEMBER, left])
      .when(command)
      .thenRefuses('node_not_found', { nodeId }),
  );
});

describe('a node under another name', () => {
  const join = (more: Partial<typeof description>): NodeCommand => ({
    type: 'JoinNode',
    nodeId,
    now,
    description: { ...description, ...more },
    journalId: 'journal-1',
    incarnation: 'incarnation-1',
    leaseHolder: null,
  });
  const started: NodeEvent = {
    type: 'NodeStarted',
    data: { nodeId, at, incarnation: 'incarnation-1' },
  };
  const renamed: NodeEvent = {
    type: 'NodeRenamed',
    data: { nodeId, at, name: 'smith', previous: 'builder' },
  };

  it('is renamed, when nothing else changed', () =>
    given([...MEMBER, started])
      .when(join({ name: 'smith' }))
      .then([renamed]));

  it('has changed, when something else did as well', () =>
    given([...MEMBER, started])
      .when(join({ name: 'smith', capacity: 3 }))
      .then([
        { type: 'NodeChanged', data: { nodeId, at, ...description, name: 'smith', capacity: 3 } },
      ]));

  it('keeps the rest of what it said, its slots and the name that they were given under', () => {
    const node = after([...HELD, renamed]);
    expect([node.description, slotOf(node.slots, spawnId)?.snapshot]).toStrictEqual([
      { ...description, name: 'smith' },
      snapshot,
    ]);
  });
});
