import { describe, expect, it } from '@jest/globals';
import { RuleViolation } from '#kernel';
import {
  PLACED,
  SENT,
  SENT_ELSEWHERE,
  TAKEN_ELSEWHERE,
  UNPLACED,
} from '../domain/generic-spawn.fixture.js';
import { initialSpawn } from '../domain/index.js';
import {
  CLAIMED,
  PENDING,
  claimFrame,
  nodeId,
  otherNode,
  spawnAfter,
  spawnId,
  started,
  unknown,
} from '../domain/spawn.fixture.js';
import { spawnCommandOfNode } from './spawn-of-node.js';

const FIRST = started();
const SECOND = started({ generation: 2 });
const THIRD = started({ generation: 3 });

describe('a command of a node', () => {
  it.each([
    ['of a strict spawn that names it', PENDING, nodeId, FIRST],
    ['of a strict spawn that it has', CLAIMED, nodeId, claimFrame()],
    ['of what was placed on it', PLACED, nodeId, FIRST],
    ['of what was sent to it', SENT, nodeId, FIRST],
    ['of what was sent to it before it went elsewhere', TAKEN_ELSEWHERE, nodeId, FIRST],
    ['of what came to it from elsewhere', TAKEN_ELSEWHERE, otherNode, SECOND],
    ['of an unknown one that nobody knows the place of', [...UNPLACED, unknown], otherNode, FIRST],
  ])('counts %s', (_what, history, node, command) => {
    expect(spawnCommandOfNode(node, command)(spawnAfter(history))).toBe(command);
  });

  it.each([
    ['of a strict spawn that names another one (@SP-33)', PENDING, otherNode, FIRST],
    ['of what was not placed', UNPLACED, nodeId, FIRST],
    ['of what was sent elsewhere', SENT, otherNode, FIRST],
    ['of an earlier generation of another one', TAKEN_ELSEWHERE, otherNode, FIRST],
    ['of the generation that went elsewhere', SENT_ELSEWHERE, nodeId, SECOND],
    [
      'that claims the generation that went elsewhere',
      SENT_ELSEWHERE,
      nodeId,
      claimFrame({ generation: 2 }),
    ],
    ['of a generation that there is not', TAKEN_ELSEWHERE, otherNode, THIRD],
    ['of an unknown one that is elsewhere', [...TAKEN_ELSEWHERE, unknown], nodeId, SECOND],
    ['of an unknown one in no generation of it', [...TAKEN_ELSEWHERE, unknown], nodeId, THIRD],
  ])('counts for nothing %s', (_what, history, node, command) => {
    expect(() => spawnCommandOfNode(node, command)(spawnAfter(history))).toThrow(
      new RuleViolation('spawn.foreign_node', { spawnId }),
    );
  });

  it('of a spawn that is not there is refused by the spawn', () => {
    expect(spawnCommandOfNode(nodeId, FIRST)(initialSpawn(spawnId))).toBe(FIRST);
  });
});
