import { describe, expect, it } from '@jest/globals';
import type { LeaseVerdict, NodeBrief } from '#nodes/contract';
import type { Step } from '#kernel';
import type { SpawnEvent } from '../domain/index.js';
import {
  CLAIMED,
  COMPLETED,
  DISPATCHED,
  EXPIRED,
  PENDING,
  RELEASING,
  UNKNOWN,
  agentStopRequested,
  claimedGeneric,
  nodeId,
  placed,
  resolved,
  seenAlive,
  seenGone,
  spawnAfter,
} from '../domain/spawn.fixture.js';
import { projectSpawn, type SpawnRow } from '../projection/index.js';
import { nextStrictSpawn, type SpawnStep } from '../saga/index.js';
import { CALM, FENCED, nodeWith, type Change } from '../saga/spawn.context.fixture.js';
import { waitsFor, type SpawnSurroundings } from './spawn-waits-for.js';

const node: NodeBrief = {
  nodeId,
  name: 'builder',
  isMember: true,
  harnesses: ['claude'],
  isDrained: false,
  capacity: 1,
  slotsHeld: 0,
};
const alive: LeaseVerdict = {
  kind: 'alive',
  ageMs: 500,
  lease: {
    journalId: 'journal-1',
    incarnation: 'incarnation-1',
    recovering: false,
    openCount: 0,
    openHash: '',
    running: 0,
    maxRuns: 16,
    waiting: 0,
    notReady: [],
  },
};
const unready: LeaseVerdict = { ...alive, lease: { ...alive.lease, notReady: ['claude'] } };
const silent: LeaseVerdict = { kind: 'expired', ageMs: 9_000 };
const WELL: SpawnSurroundings = { node, lease: alive };

const rowAfter = (events: readonly SpawnEvent[], over: Partial<SpawnRow> = {}): SpawnRow => {
  const row = events.reduce<SpawnRow | undefined>(
    (before, event) => projectSpawn(before, event, { workspace: 'main', sequence: 1 }),
    undefined,
  );
  if (row === undefined) throw new Error('the history does not begin with a claim');
  return { ...row, ...over };
};
const HELD = { slot: 'reserved', slotRound: 1, slotNodeId: nodeId } as const;

/** What keeps the one node from taking it: as it is shown, and as its saga sees it. */
const OBSTACLES: readonly (readonly [string, SpawnSurroundings, Change])[] = [
  ['has left', { ...WELL, node: { ...node, isMember: false } }, nodeWith({ liveness: 'gone' })],
  ['is renamed', { ...WELL, node: { ...node, name: 'other' } }, nodeWith({ name: 'other' })],
  ['is incapable', { ...WELL, node: { ...node, harnesses: [] } }, nodeWith({ capable: false })],
  ['is silent', { node, lease: silent }, nodeWith({ liveness: 'silent' })],
  [
    'can not be judged',
    { node, lease: { kind: 'cannot-tell', why: 'w' } },
    nodeWith({ liveness: 'unclear' }),
  ],
  ['is not ready', { node, lease: unready }, nodeWith({ ready: false })],
  ['is full', { ...WELL, node: { ...node, slotsHeld: 1 } }, nodeWith({ hasRoom: false })],
];
const wordsOf = (step: Step<SpawnStep>): string | undefined =>
  'waitsFor' in step ? step.waitsFor : undefined;

describe('what a pending spawn waits for', () => {
  it.each(OBSTACLES)('is what its saga waits for, when its node %s', (_what, around, change) => {
    const words = wordsOf(nextStrictSpawn(spawnAfter(PENDING), { ...CALM, ...change }));
    expect(words).toContain('node');
    expect(waitsFor(rowAfter(PENDING), around)).toBe(words);
    const releasing = { ...CALM, ...FENCED, ...change };
    expect(waitsFor(rowAfter(RELEASING), around)).toBe(
      wordsOf(nextStrictSpawn(spawnAfter(RELEASING), releasing)),
    );
  });

  it('is that its node is put back in service, when an operator took it out', () => {
    const around = { ...WELL, node: { ...node, isDrained: true } };
    expect(waitsFor(rowAfter(PENDING), around)).toBe('node builder to be put back in service');
  });

  it('is its slot, its dispatch, or its slot to be given back', () => {
    expect(waitsFor(rowAfter(PENDING), WELL)).toBe('its slot on node builder');
    expect(waitsFor(rowAfter(PENDING, HELD), WELL)).toBe('its dispatch to node builder');
    const full = { ...WELL, node: { ...node, slotsHeld: 1 } };
    expect(waitsFor(rowAfter(PENDING, HELD), full)).toBe('its dispatch to node builder');
    expect(waitsFor(rowAfter(RELEASING, HELD), WELL)).toBe('node builder to give its slot back');
  });

  it('is not concluded from what nobody knows of its node', () => {
    const around = { node: undefined, lease: silent };
    expect(waitsFor(rowAfter(PENDING), around)).toBe('its slot on node builder');
  });

  it('is some node, when it was named none', () => {
    const nowhere = { node: undefined, lease: undefined };
    expect(waitsFor(rowAfter([claimedGeneric]), nowhere)).toBe(
      'a free slot on a node that offers claude, has linux and is ready',
    );
    expect(waitsFor(rowAfter([claimedGeneric], { capabilities: [] }), nowhere)).toBe(
      'a free slot on a node that offers claude and is ready',
    );
  });

  it('is the node that was chosen for it, whatever that is called', () => {
    const around = { ...WELL, node: { ...node, name: 'other' } };
    expect(waitsFor(rowAfter([claimedGeneric, placed(1)]), around)).toBe('its slot on node other');
  });
});

describe('what a spawn that left waits for', () => {
  it.each([
    ['to be taken', DISPATCHED, 'node builder to take it'],
    ['for news of its start', CLAIMED, 'node builder to say that its agent was started'],
    ['for nothing, completed', COMPLETED, null],
    [
      'for the end of its agent',
      [...COMPLETED, agentStopRequested],
      'its node to prove that its agent has ended',
    ],
    ['for nothing, failed for certain', EXPIRED, null],
  ])('is %s', (_what, events, words) => expect(waitsFor(rowAfter(events), WELL)).toBe(words));

  it('is nothing once its agent has ended', () => {
    const row = rowAfter([...COMPLETED, agentStopRequested], { agent: 'ended' });
    expect(waitsFor(row, WELL)).toBeNull();
  });
});

describe('what an unknown spawn waits for', () => {
  it.each([
    ['its node to say whether an agent lives', UNKNOWN, WELL],
    ['its node to come back, or an operator', UNKNOWN, { node, lease: silent }],
    ['an operator: its agent is alive; stop it, or adopt it', [...UNKNOWN, seenAlive], WELL],
    ['its node to prove that its agent has ended', [...UNKNOWN, resolved('stop')], WELL],
    [null, [...UNKNOWN, seenAlive, resolved('adopt')], WELL],
    [null, [...UNKNOWN, resolved('free')], WELL],
    [null, [...UNKNOWN, seenGone], WELL],
  ])('is: %s', (words, events, around) => expect(waitsFor(rowAfter(events), around)).toBe(words));
});
