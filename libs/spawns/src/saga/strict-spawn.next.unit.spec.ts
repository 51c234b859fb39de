import { describe, expect, it } from '@jest/globals';
import { lookAgainAt, take, wait, type Step } from '#kernel';
import { initialSpawn, type SpawnEvent, type SpawnState } from '../domain/index.js';
import {
  CLAIMED,
  DISPATCHED,
  PENDING,
  RELEASING,
  claimed,
  journalId,
  otherJournal,
  placed,
  placedByClaim,
  spawnAfter,
  spawnId,
} from '../domain/spawn.fixture.js';
import { nextStrictSpawn, type SpawnStep } from './index.js';
import {
  CALM,
  FENCED,
  RESERVED,
  nodeWith,
  slotWith,
  type Change,
} from './spawn.context.fixture.js';

const next = (spawn: SpawnState, ...changes: readonly Change[]): Step<SpawnStep> =>
  nextStrictSpawn(
    spawn,
    changes.reduce<typeof CALM>((all, one) => ({ ...all, ...one }), CALM),
  );
const after = (history: readonly SpawnEvent[], ...changes: readonly Change[]): Step<SpawnStep> =>
  next(spawnAfter(history), ...changes);

const EXPIRES_AT = 601_000;
const UNTIL = 31_000;
const RETRY_AFTER_AT = 32_000;
const PLACED_AGAIN = [...RELEASING, placed(2)];
const RESTORED = 'the event store was restored; whether it was started may be forgotten';

/** What keeps the one node from taking it, in words. */
const OBSTACLES: readonly (readonly [string, Change, string])[] = [
  ['has left', nodeWith({ liveness: 'gone' }), 'node builder to join again'],
  ['is renamed (@SP-29)', nodeWith({ name: 'other' }), 'node node-1 to be called builder again'],
  ['is incapable (@SP-31)', nodeWith({ capable: false }), 'node builder to offer claude'],
  ['is silent (@SP-32)', nodeWith({ liveness: 'silent' }), 'node builder to come online'],
  ['is unclear (@SP-32)', nodeWith({ liveness: 'unclear' }), 'node builder to come online'],
  ['is not ready (@SP-58)', nodeWith({ ready: false }), 'node builder to be ready for claude'],
];

it('waits for the claim of a spawn that is not there', () => {
  expect(next(initialSpawn(spawnId))).toStrictEqual(wait('its claim'));
});

describe('a pending spawn whose caller demands readiness', () => {
  const demanding = [{ ...claimed, data: { ...claimed.data, verifyReady: true } }, placedByClaim];

  it.each([
    ['is full', nodeWith({ hasRoom: false }), 'a free slot on node builder'] as const,
    ...OBSTACLES,
  ])(
    'gives its round up when its node %s: nothing is started behind its caller’s back',
    (_what, change, reason) => {
      expect(after(demanding, change)).toStrictEqual(
        take({ kind: 'decideRelease', round: 1, reason }),
      );
    },
  );

  it('goes on when its caller asks again, and not before', () => {
    const givenUp = [...demanding, ...RELEASING.slice(-1)];
    expect(after(givenUp, FENCED)).toStrictEqual(
      lookAgainAt(EXPIRES_AT, 'its caller to ask again'),
    );
    expect(after(givenUp, FENCED, { callerAsks: true })).toStrictEqual(
      take({ kind: 'intendPlacement', round: 2 }),
    );
  });
});

describe('a pending spawn', () => {
  it('takes a slot of its node', () => {
    expect(after(PENDING)).toStrictEqual(take({ kind: 'reserve', round: 1 }));
  });

  it('takes one up to the last moment of its round', () => {
    expect(after(PENDING, { now: UNTIL })).toStrictEqual(take({ kind: 'reserve', round: 1 }));
  });

  it('is dispatched when it holds the slot of its round, to the journal of its node', () => {
    const dispatch = take({ kind: 'dispatch', round: 1, journalId });
    expect(after(PENDING, RESERVED)).toStrictEqual(dispatch);
  });

  it('is dispatched on a node without room: the slot that fills it is its own (@SP-43)', () => {
    const dispatch = take({ kind: 'dispatch', round: 1, journalId });
    expect(after(PENDING, RESERVED, nodeWith({ hasRoom: false }))).toStrictEqual(dispatch);
  });

  it('waits in plain words for a node that is full, and for no other (@SP-34)', () => {
    expect(after(PENDING, nodeWith({ hasRoom: false }))).toStrictEqual(
      lookAgainAt(EXPIRES_AT, 'a free slot on node builder'),
    );
  });

  it.each(OBSTACLES)('takes no slot while its node %s', (_what, change, words) => {
    expect(after(PENDING, change)).toStrictEqual(lookAgainAt(EXPIRES_AT, words));
  });

  it.each(OBSTACLES)('gives its slot back when its node %s', (_what, change, reason) => {
    const release = take({ kind: 'decideRelease', round: 1, reason });
    expect(after(PENDING, RESERVED, change)).toStrictEqual(release);
  });

  it.each([
    ['wants the node ready (@SP-45, @SP-59)', true],
    ['does not (@SP-45, @SP-60)', false],
  ])('frees its reservation when its node is unready, where its caller %s', (_who, verifyReady) => {
    const asked = { ...claimed, data: { ...claimed.data, verifyReady } };
    const unready = after([asked, placedByClaim], RESERVED, nodeWith({ ready: false }));
    expect(unready).toStrictEqual(
      take({ kind: 'decideRelease', round: 1, reason: 'node builder to be ready for claude' }),
    );
  });

  it('gives its slot back when its node has no journal that could be asked', () => {
    expect(after(PENDING, RESERVED, nodeWith({ journalId: null }))).toStrictEqual(
      take({ kind: 'decideRelease', round: 1, reason: 'its node has no journal' }),
    );
  });

  it.each([
    ['its time is over', PENDING, { now: UNTIL + 1 }, 1],
    ['it is fenced on the node', PENDING, FENCED, 1],
    ['it is the second one, and fenced on the node', PLACED_AGAIN, slotWith({ fenced: 2 }), 2],
  ])('gives a round up that nobody can reserve any more: %s', (_why, history, change, round) => {
    expect(after(history, change)).toStrictEqual(
      take({ kind: 'decideRelease', round, reason: 'its time to be reserved is up' }),
    );
  });

  it('does not dispatch under the slot of an older round (@SP-53)', () => {
    expect(after(PLACED_AGAIN, RESERVED)).toStrictEqual(take({ kind: 'reserve', round: 2 }));
  });
});

describe('a pending spawn that is too old', () => {
  /** The round of a spawn that was placed anew shortly before its time was up. */
  const LATE_ROUND: readonly SpawnEvent[] = [
    claimed,
    {
      type: 'SpawnPlacementIntended',
      data: { ...placedByClaim.data, until: EXPIRES_AT + 5_000 },
    },
  ];

  it('expires', () => {
    expect(after(PENDING, { now: EXPIRES_AT })).toStrictEqual(take({ kind: 'expire' }));
  });

  it('does not expire a moment before', () => {
    expect(after(LATE_ROUND, { now: EXPIRES_AT - 1 })).toStrictEqual(
      take({ kind: 'reserve', round: 1 }),
    );
  });

  it.each([EXPIRES_AT, EXPIRES_AT + 5_000])(
    'does not expire while a reservation holds, at %d',
    (now) => {
      const dispatch = take({ kind: 'dispatch', round: 1, journalId });
      expect(after(LATE_ROUND, RESERVED, { now })).toStrictEqual(dispatch);
    },
  );

  it('expires when its reservation holds no more, dispatched or not', () => {
    const expire = take({ kind: 'expire' });
    expect(after(LATE_ROUND, RESERVED, { now: EXPIRES_AT + 5_001 })).toStrictEqual(expire);
  });

  it('expires when the reservation is of an older round', () => {
    const again = [...LATE_ROUND.slice(0, 1), placed(2)];
    expect(after(again, RESERVED, { now: EXPIRES_AT })).toStrictEqual(take({ kind: 'expire' }));
  });
});

describe('a spawn that gave its place up', () => {
  it('is fenced on its node first', () => {
    const reason = 'its spawn gave the place up';
    const release = take({ kind: 'releaseSlot', round: 1, reason });
    expect(after(RELEASING, RESERVED)).toStrictEqual(release);
    expect(after(RELEASING, { now: EXPIRES_AT })).toStrictEqual(release);
  });

  it('is placed anew on the same node, once that can take it (@SP-50)', () => {
    const place = take({ kind: 'intendPlacement', round: 2 });
    expect(after(RELEASING, FENCED)).toStrictEqual(place);
  });

  it.each(OBSTACLES)('waits while its node %s', (_what, change, words) => {
    expect(after(RELEASING, FENCED, change)).toStrictEqual(lookAgainAt(EXPIRES_AT, words));
  });

  it('waits while its node is full (@SP-34)', () => {
    expect(after(RELEASING, FENCED, nodeWith({ hasRoom: false }))).toStrictEqual(
      lookAgainAt(EXPIRES_AT, 'a free slot on node builder'),
    );
  });

  it('expires when its time is up', () => {
    const expire = take({ kind: 'expire' });
    expect(after(RELEASING, FENCED, { now: EXPIRES_AT })).toStrictEqual(expire);
  });
});

describe('a dispatched spawn', () => {
  it('has its frame published', () => {
    const publish = take({ kind: 'publishFrame', generation: 1 });
    expect(after(DISPATCHED, { framePublished: false })).toStrictEqual(publish);
  });

  it.each([
    ['in calm', {}],
    ['while nobody can judge its node', nodeWith({ liveness: 'unclear' })],
    ['by a node that is called otherwise now', nodeWith({ name: 'other' })],
    ['by a node that is not ready any more', nodeWith({ ready: false, capable: false })],
  ])('waits to be taken: %s', (_what, change) => {
    expect(after(DISPATCHED, change, { now: RETRY_AFTER_AT - 1 })).toStrictEqual(
      lookAgainAt(RETRY_AFTER_AT, 'node builder to take it'),
    );
  });

  it.each([
    ['fell silent', nodeWith({ liveness: 'silent' }), 'node builder fell silent'],
    ['has left', nodeWith({ liveness: 'gone' }), 'node builder has left'],
    [
      'has another journal',
      nodeWith({ journalId: otherJournal }),
      'node builder came back with another journal',
    ],
    ['let its time pass', { now: RETRY_AFTER_AT }, 'node builder did not take it in time'],
  ])('is revoked when its node %s: unclaimed is certainly unsent', (_what, change, reason) => {
    const revoke = take({ kind: 'revoke', generation: 1, reason });
    expect(after(DISPATCHED, change)).toStrictEqual(revoke);
    expect(after(DISPATCHED, change, { framePublished: false })).toStrictEqual(revoke);
  });
});

describe('a claimed spawn', () => {
  const WORDS = 'node builder to say that its agent was started';
  const SILENT = nodeWith({ liveness: 'silent' });
  const ask = take({ kind: 'ask', generation: 1 });

  it.each([
    ['works', {}],
    ['cannot be judged', nodeWith({ liveness: 'unclear' })],
    ['is gone', nodeWith({ liveness: 'gone' })],
    ['has another journal', nodeWith({ journalId: otherJournal })],
  ])('is left in peace until its time is up, while its node %s', (_what, change) => {
    expect(after(CLAIMED, change, { now: RETRY_AFTER_AT - 1 })).toStrictEqual(
      lookAgainAt(RETRY_AFTER_AT, WORDS),
    );
  });

  it.each([
    ['works', {}],
    ['cannot be judged', nodeWith({ liveness: 'unclear' })],
  ])('is asked about when its time is up, while its node %s', (_what, change) => {
    expect(after(CLAIMED, change, { now: RETRY_AFTER_AT })).toStrictEqual(ask);
  });

  it('is asked about at once when its node is silent (@SP-78)', () => {
    expect(after(CLAIMED, SILENT)).toStrictEqual(ask);
  });

  it.each([
    ['silent', SILENT, 2_000],
    ['alive', {}, RETRY_AFTER_AT],
  ])('is not asked about all the time: %s', (_what, change, lastAskedAt) => {
    const asked = { lastAskedAt, now: lastAskedAt + 4_999 };
    expect(after(CLAIMED, change, asked)).toStrictEqual(lookAgainAt(lastAskedAt + 5_000, WORDS));
    expect(after(CLAIMED, change, { ...asked, now: lastAskedAt + 5_000 })).toStrictEqual(ask);
  });

  it.each([
    ['has left (@SP-72)', nodeWith({ liveness: 'gone' }), 'node builder has left'],
    [
      'has another journal',
      nodeWith({ journalId: otherJournal }),
      'node builder came back with another journal',
    ],
  ])('is unknown when its time is up and its node %s', (_what, change, reason) => {
    expect(after(CLAIMED, change, { now: RETRY_AFTER_AT })).toStrictEqual(
      take({ kind: 'settleUnknown', reason }),
    );
  });
});

describe('a spawn of an older epoch', () => {
  it.each([
    ['pending', PENDING],
    ['releasing', RELEASING],
    ['dispatched', DISPATCHED],
    ['claimed', CLAIMED],
  ])('is unknown, whatever is around it: %s', (_status, history) => {
    const unknown = take({ kind: 'settleUnknown', reason: RESTORED });
    expect(after(history, { epoch: 2 })).toStrictEqual(unknown);
    expect(after(history, { epoch: 2, now: EXPIRES_AT }, RESERVED)).toStrictEqual(unknown);
    expect(after(history, { epoch: 2 }, nodeWith({ liveness: 'gone' }))).toStrictEqual(unknown);
  });
});
