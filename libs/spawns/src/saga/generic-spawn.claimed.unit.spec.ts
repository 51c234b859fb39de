import { describe, expect, it } from '@jest/globals';
import { lookAgainAt, nothing, take, type Step } from '#kernel';
import {
  GIVEN_UP,
  PLACED,
  PLACED_ELSEWHERE,
  SENT,
  TAKEN,
  TAKEN_ELSEWHERE,
  UNPLACED,
} from '../domain/generic-spawn.fixture.js';
import type { SpawnEvent, SpawnState } from '../domain/index.js';
import {
  completed,
  expired,
  nodeId,
  otherJournal,
  otherNode,
  spawnAfter,
  unknown,
} from '../domain/spawn.fixture.js';
import { nextGenericSpawn, type SpawnStep } from './index.js';
import { CALM, RESERVED, nodeWith, slotWith, type Change } from './spawn.context.fixture.js';

interface Around {
  readonly change?: Change;
  readonly place?: string | null;
}

const next = (spawn: SpawnState, { change = {}, place = null }: Around = {}): Step<SpawnStep> =>
  nextGenericSpawn(spawn, { ...CALM, ...change }, place);
const after = (history: readonly SpawnEvent[], around: Around = {}): Step<SpawnStep> =>
  next(spawnAfter(history), around);

const EXPIRES_AT = 601_000;
const RETRY_AFTER_AT = 32_000;
const RESTORED = 'the event store was restored; whether it was started may be forgotten';
const TOO_OLD = { now: EXPIRES_AT };

describe('a spawn that was claimed', () => {
  const WORDS = 'node builder to say that its agent was started';

  it.each([
    ['works', {}],
    ['is gone', nodeWith({ liveness: 'gone' })],
    ['has another journal', nodeWith({ journalId: otherJournal })],
  ])('is left in peace until its time is up, while its node %s', (_what, change) => {
    const around = { change: { ...change, now: RETRY_AFTER_AT - 1 }, place: otherNode };
    expect(after(TAKEN, around)).toStrictEqual(lookAgainAt(RETRY_AFTER_AT, WORDS));
  });

  it('is asked about when its time is up, and at once when its node is silent (@SP-78)', () => {
    const ask = take({ kind: 'ask', generation: 1 });
    const silent = nodeWith({ liveness: 'silent' });
    expect(after(TAKEN, { change: { now: RETRY_AFTER_AT }, place: otherNode })).toStrictEqual(ask);
    expect(after(TAKEN, { change: silent, place: otherNode })).toStrictEqual(ask);
  });

  it.each([
    ['has left', nodeWith({ liveness: 'gone' }), 'node builder has left'],
    [
      'has another journal',
      nodeWith({ journalId: otherJournal }),
      'node builder came back with another journal',
    ],
  ])(
    'is unknown when its time is up and its node %s, and goes nowhere (@SP-73)',
    (_w, change, reason) => {
      const around = { change: { ...change, now: RETRY_AFTER_AT }, place: otherNode };
      expect(after(TAKEN, around)).toStrictEqual(take({ kind: 'settleUnknown', reason }));
    },
  );
});

describe('a spawn that is settled', () => {
  it('has nothing left to do when it was never placed', () => {
    expect(after([...UNPLACED, expired()], { place: otherNode })).toStrictEqual(nothing);
  });

  it.each([
    [
      'placed',
      [...PLACED, expired()],
      take({ kind: 'releaseSlot', round: 1, reason: 'its spawn failed' }),
    ],
    ['completed', [...TAKEN, completed], take({ kind: 'occupySlot', round: 1 })],
  ])('has its slot follow its agent, as any other: %s', (_what, history, step) => {
    expect(after(history, { change: RESERVED, place: otherNode })).toStrictEqual(step);
  });

  it('as unknown holds the slot where it was sent last, until that node says more', () => {
    const change = {
      ...slotWith({ round: 2, state: 'reserved' }),
      ...nodeWith({ journalId: otherJournal }),
    };
    expect(after([...TAKEN_ELSEWHERE, unknown], { change })).toStrictEqual(
      take({ kind: 'ask', generation: 2 }),
    );
  });

  it('as unknown after a restore holds it although its node has another journal than the one before', () => {
    const change = {
      ...slotWith({ round: 2, state: 'reserved' }),
      ...nodeWith({ journalId: otherJournal }),
    };
    expect(after([...PLACED_ELSEWHERE, unknown], { change })).toStrictEqual(
      take({ kind: 'ask', generation: 2 }),
    );
  });
});

describe('a spawn of an older epoch', () => {
  it.each([
    ['never placed', UNPLACED],
    ['placed', PLACED],
    ['given up', GIVEN_UP],
    ['sent', SENT],
    ['claimed', TAKEN],
  ])('is unknown, whatever is around it: %s', (_status, history) => {
    const unknowable = take({ kind: 'settleUnknown', reason: RESTORED });
    for (const change of [{}, TOO_OLD, RESERVED, nodeWith({ liveness: 'gone' })])
      expect(after(history, { change: { ...change, epoch: 2 }, place: nodeId })).toStrictEqual(
        unknowable,
      );
  });
});
