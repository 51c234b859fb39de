import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import {
  PLACED,
  PLACED_ELSEWHERE,
  SENT,
  SENT_ELSEWHERE,
  TAKEN_BACK,
  TAKEN_ELSEWHERE,
  UNPLACED,
} from './generic-spawn.fixture.js';
import { SPAWN } from './spawn.decider.js';
import type { SpawnEvent } from './spawn.events.js';
import {
  PENDING,
  UNKNOWN_UNCLAIMED,
  claimFrame,
  dispatched,
  ended,
  journalId,
  late,
  nodeId,
  notStarted,
  otherJournal,
  otherNode,
  placed,
  revoked,
  spawnAfter,
  spawnId,
  started,
  unknown,
} from './spawn.fixture.js';
import { generationOf, journalOf, nodeOfGeneration } from './spawn.state.js';

const given = deciderSpec(SPAWN, spawnId);
const ALIVE = 'its agent was seen alive: pid 7';
const UNKNOWN_ELSEWHERE: readonly SpawnEvent[] = [...TAKEN_ELSEWHERE, unknown];
/** Placed anew; a restore may have forgotten that it was sent there. */
const UNKNOWN_PLACED: readonly SpawnEvent[] = [...PLACED_ELSEWHERE, unknown];

describe('the node that may speak of a generation', () => {
  it.each([
    ['is nobody before it was placed', UNPLACED, 1, null],
    ['is the one that it was placed on', PLACED, 1, nodeId],
    ['is the one that it was sent to', SENT, 1, nodeId],
    ['is that still when it was taken back', TAKEN_BACK, 1, nodeId],
    ['is that still when it is placed elsewhere', PLACED_ELSEWHERE, 1, nodeId],
    ['is that still when the next one was sent elsewhere', SENT_ELSEWHERE, 1, nodeId],
    ['is the other one, of what is to be sent there', PLACED_ELSEWHERE, 2, otherNode],
    ['is the other one, of what was sent there', SENT_ELSEWHERE, 2, otherNode],
    ['is nobody, of what was never sent', SENT_ELSEWHERE, 3, null],
    ['of a strict spawn is the one that was named', PENDING, 2, nodeId],
  ])('%s', (_what, history, generation, node) => {
    expect(nodeOfGeneration(spawnAfter(history), generation)).toBe(node);
  });

  it('is remembered of the newest hundred', () => {
    const sent = Array.from({ length: 102 }, (_, index) => {
      const round = index + 1;
      return [placed(round), dispatched({ round, generation: round }), revoked(round)];
    });
    const spawn = spawnAfter([...UNPLACED, ...sent.flat()]);
    expect(spawn.earlier.map(({ generation }) => generation)).toStrictEqual(
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
  });
});

describe('a spawn that is placed anew', () => {
  it.each([
    ['sent', SENT, 1, journalId],
    ['taken back', TAKEN_BACK, 1, journalId],
    ['placed elsewhere', PLACED_ELSEWHERE, 2, null],
    ['sent elsewhere', SENT_ELSEWHERE, 2, otherJournal],
  ])(
    'is asked about in the generation that its node may know, of the journal that has it: %s',
    (_what, history, generation, journal) => {
      const spawn = spawnAfter(history);
      expect([generationOf(spawn), journalOf(spawn)]).toStrictEqual([generation, journal]);
    },
  );

  it('may be claimed only by the journal and in the generation that it was sent to last', () => {
    given(SENT_ELSEWHERE)
      .when(claimFrame({ generation: 1 }))
      .thenRefuses('spawn.claim_refused', { spawnId, generation: 1, status: 'dispatched' });
    given(SENT_ELSEWHERE)
      .when(claimFrame({ generation: 2 }))
      .thenRefuses('spawn.claim_refused', { spawnId, generation: 2, status: 'dispatched' });
  });
});

describe('a late report of the node that it was taken back from', () => {
  it.each([
    ['placed elsewhere', PLACED_ELSEWHERE],
    ['sent elsewhere', SENT_ELSEWHERE],
    ['taken elsewhere', TAKEN_ELSEWHERE],
    ['unknown elsewhere', UNKNOWN_ELSEWHERE],
    ['unknown, and placed elsewhere', UNKNOWN_PLACED],
  ])('shows a start that was held to be excluded: %s @SP-77', (_what, history) => {
    const shown = late('lives', ALIVE, { showsStart: true });
    given(history).when(started()).then([shown]);
    const { status, lateAgent } = spawnAfter([...history, shown]);
    expect([status, lateAgent]).toStrictEqual([spawnAfter(history).status, null]);
    given([...history, shown])
      .when(started())
      .then([]);
  });

  it('proves nothing when it was not started', () =>
    given(UNKNOWN_ELSEWHERE).when(notStarted()).then([]));

  it('does not hide the same words of another generation', () =>
    given([...UNKNOWN_ELSEWHERE, late('lives', ALIVE, { showsStart: true })])
      .when(started({ generation: 2, journalId: otherJournal }))
      .then([late('lives', ALIVE, { generation: 2 })]));
});

describe('after a restore', () => {
  it('the node that it was placed on may have it, whatever its journal', () =>
    given(UNKNOWN_PLACED)
      .when(started({ generation: 2, journalId: otherJournal }))
      .then([late('lives', ALIVE, { generation: 2 })]));

  it('a generation that was forgotten may have been sent anywhere', () =>
    given(UNKNOWN_ELSEWHERE)
      .when(ended({ generation: 3, journalId: 'journal-3' }))
      .then([late('gone', 'its agent has ended: exit 0', { generation: 3 })]));

  it('a strict spawn has its one node to say so', () =>
    expect(nodeOfGeneration(spawnAfter(UNKNOWN_UNCLAIMED), 1)).toBe(nodeId));
});
