import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { NODE_ID, type NodeIdTaken, type TakeNodeId } from './node-id.decider.js';

const nodeId = 'node-1';
const take = (workspace: string): TakeNodeId => ({
  type: 'TakeNodeId',
  nodeId,
  workspace,
  now: 1_000,
});
const taken = (workspace: string): NodeIdTaken => ({
  type: 'NodeIdTaken',
  data: { nodeId, workspace, at: 1_000 },
});
const given = deciderSpec(NODE_ID, nodeId);

describe('the id of a node', () => {
  it('belongs to the workspace that takes it first', () =>
    given([])
      .when(take('main'))
      .then([taken('main')]));

  it('is taken once', () =>
    given([taken('main')])
      .when(take('main'))
      .then([]));

  it('is refused to every other workspace, which does not learn whose it is', () =>
    given([taken('main')])
      .when(take('other'))
      .thenRefuses('node_id_taken', { nodeId }));
});
