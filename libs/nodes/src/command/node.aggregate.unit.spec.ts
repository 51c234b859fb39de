import { describe, expect, it } from '@jest/globals';
import { initialNode, NO_SLOTS, type NodeState } from '../domain/index.js';
import { NODE_AGGREGATE } from './node.aggregate.js';

const revive = (stored: unknown): NodeState | undefined => NODE_AGGREGATE.snapshots?.revive(stored);

describe('a snapshot of a node', () => {
  const now: NodeState = {
    ...initialNode('node-1'),
    status: 'member',
    drained: true,
    slots: { held: {}, fences: { 'spawn-1': { round: 2, until: 31_000 } } },
    commits: 7,
  };

  it('is the node as it was stored', () => expect(revive(now)).toStrictEqual(now));

  it('of before there were slots has none, and is in service', () => {
    const { drained: _drained, slots: _slots, ...before } = now;
    expect(revive(before)).toStrictEqual({ ...now, drained: false, slots: NO_SLOTS });
  });
});
