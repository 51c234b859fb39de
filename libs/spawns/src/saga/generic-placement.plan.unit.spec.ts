import { describe, expect, it } from '@jest/globals';
import { TAKEN_BACK, UNPLACED } from '../domain/generic-spawn.fixture.js';
import { nodeId, otherNode, spawnAfter } from '../domain/spawn.fixture.js';
import { hasPlace, placesFor } from './generic-placement.plan.js';
import type { NodeHint } from './index.js';
import { CALM } from './spawn.context.fixture.js';

const hint = (id: string, over: Partial<NodeHint> = {}): NodeHint => ({
  nodeId: id,
  harnesses: ['claude', 'codex'],
  capabilities: ['linux', 'gpu'],
  drained: false,
  free: 1,
  ...over,
});
const places = (history: typeof UNPLACED, ...hints: readonly NodeHint[]): readonly string[] =>
  placesFor(spawnAfter(history), hints);

describe('the nodes that may have a place for a generic spawn', () => {
  it('come with the most free places first', () => {
    const found = places(UNPLACED, hint('a'), hint('b', { free: 3 }), hint('c', { free: 2 }));
    expect(found).toStrictEqual(['b', 'c', 'a']);
  });

  it('come in the same order for everybody, whoever learned of them first', () => {
    const hints = [hint('b'), hint('A'), hint('c'), hint('a')];
    const found = places(UNPLACED, ...hints);
    expect(found).toStrictEqual(['A', 'a', 'b', 'c']);
    expect(places(UNPLACED, ...hints.reverse())).toStrictEqual(found);
  });

  it.each([
    ['offer another harness', { harnesses: ['codex'] }],
    ['lack a capability', { capabilities: ['gpu'] }],
    ['are drained', { drained: true }],
    ['are full', { free: 0 }],
  ])('are none that %s', (_what, over) => {
    expect(places(UNPLACED, hint('a', over), hint('b'))).toStrictEqual(['b']);
  });

  it('have the one that it was taken back from behind all others (@SP-73)', () => {
    const hints = [hint(nodeId, { free: 9 }), hint(otherNode), hint('z')];
    expect(places(TAKEN_BACK, ...hints)).toStrictEqual([otherNode, 'z', nodeId]);
    expect(places(UNPLACED, ...hints)).toStrictEqual([nodeId, otherNode, 'z']);
  });

  it('have it all the same when there is no other', () => {
    expect(places(TAKEN_BACK, hint(nodeId))).toStrictEqual([nodeId]);
  });
});

describe('a node that was looked at', () => {
  it('has a place when nothing is in the way', () => {
    expect(hasPlace(CALM.node)).toBe(true);
  });

  it.each([
    ['is silent', { liveness: 'silent' }],
    ['can not be judged', { liveness: 'unclear' }],
    ['has left', { liveness: 'gone' }],
    ['has no journal', { journalId: null }],
    ['does not offer what is asked for', { capable: false }],
    ['is not ready', { ready: false }],
    ['is full', { hasRoom: false }],
  ] as const)('has none when it %s', (_what, over) => {
    expect(hasPlace({ ...CALM.node, ...over })).toBe(false);
  });
});
