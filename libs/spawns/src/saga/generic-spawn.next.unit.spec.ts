import { describe, expect, it } from '@jest/globals';
import { lookAgainAt, take, wait, type Step } from '#kernel';
import {
  GIVEN_UP,
  PLACED,
  SENT,
  SENT_ELSEWHERE,
  TAKEN_BACK,
  UNPLACED,
} from '../domain/generic-spawn.fixture.js';
import { initialSpawn, type SpawnEvent, type SpawnState } from '../domain/index.js';
import {
  claimedGeneric,
  journalId,
  nodeId,
  otherJournal,
  otherNode,
  placed,
  spawnAfter,
  spawnId,
} from '../domain/spawn.fixture.js';
import { nextGenericSpawn, type SpawnStep } from './index.js';
import { CALM, FENCED, RESERVED, nodeWith, type Change } from './spawn.context.fixture.js';

interface Around {
  readonly change?: Change;
  readonly place?: string | null;
}

const next = (spawn: SpawnState, { change = {}, place = null }: Around = {}): Step<SpawnStep> =>
  nextGenericSpawn(spawn, { ...CALM, ...change }, place);
const after = (history: readonly SpawnEvent[], around: Around = {}): Step<SpawnStep> =>
  next(spawnAfter(history), around);

const EXPIRES_AT = 601_000;
const UNTIL = 31_000;
const RETRY_AFTER_AT = 32_000;
const WANTED = 'a node that offers claude with linux and a free place';
const TOO_OLD = { now: EXPIRES_AT };

it('waits for the claim of a spawn that is not there', () => {
  expect(next(initialSpawn(spawnId), { place: nodeId })).toStrictEqual(wait('its claim'));
});

describe('a spawn that was never placed', () => {
  it('is placed on the node that was found for it', () => {
    const place = take({ kind: 'intendPlacement', round: 1, nodeId: otherNode });
    expect(after(UNPLACED, { place: otherNode })).toStrictEqual(place);
  });

  it('waits, in plain words, while there is none', () => {
    expect(after(UNPLACED)).toStrictEqual(lookAgainAt(EXPIRES_AT, WANTED));
    const { data } = claimedGeneric;
    const asked = (capabilities: readonly string[]): readonly SpawnEvent[] => [
      { type: 'SpawnClaimed', data: { ...data, capabilities } },
    ];
    expect(after(asked([]))).toStrictEqual(
      lookAgainAt(EXPIRES_AT, 'a node that offers claude with a free place'),
    );
    expect(after(asked(['linux', 'gpu']))).toStrictEqual(
      lookAgainAt(EXPIRES_AT, 'a node that offers claude with linux, gpu and a free place'),
    );
  });

  it('expires when its time is up, whether or not there is a node for it (@SP-74)', () => {
    expect(after(UNPLACED, { change: TOO_OLD, place: nodeId })).toStrictEqual(
      take({ kind: 'expire' }),
    );
  });
});

describe('a spawn that is placed', () => {
  it('takes a slot of its node, up to the last moment of its round', () => {
    const reserve = take({ kind: 'reserve', round: 1 });
    expect(after(PLACED)).toStrictEqual(reserve);
    expect(after(PLACED, { change: { now: UNTIL } })).toStrictEqual(reserve);
  });

  it('is dispatched when it holds the slot of its round, also on a node that is full by it', () => {
    const dispatch = take({ kind: 'dispatch', round: 1, journalId });
    expect(after(PLACED, { change: RESERVED })).toStrictEqual(dispatch);
    const full = { ...RESERVED, ...nodeWith({ hasRoom: false }) };
    expect(after(PLACED, { change: full })).toStrictEqual(dispatch);
  });

  it('is not dispatched under the slot of an older round (@SP-53)', () => {
    const again = [...GIVEN_UP, placed(2)];
    expect(after(again, { change: RESERVED })).toStrictEqual(take({ kind: 'reserve', round: 2 }));
  });

  it.each([
    ['has left', nodeWith({ liveness: 'gone' }), 'node builder has left'],
    ['is incapable', nodeWith({ capable: false }), 'node builder has not what it needs any more'],
    ['is silent', nodeWith({ liveness: 'silent' }), 'node builder is not online'],
    ['is unclear', nodeWith({ liveness: 'unclear' }), 'node builder is not online'],
    ['is not ready', nodeWith({ ready: false }), 'node builder is not ready for claude'],
    ['is nobody', nodeWith({ liveness: 'gone', name: null }), 'node node-1 has left'],
  ])('gives its place up when its node %s, reserved or not (@SP-09)', (_what, change, reason) => {
    const release = take({ kind: 'decideRelease', round: 1, reason });
    expect(after(PLACED, { change, place: otherNode })).toStrictEqual(release);
    expect(after(PLACED, { change: { ...change, ...RESERVED } })).toStrictEqual(release);
  });

  it.each([
    ['its time is over', { now: UNTIL + 1 }, 'its time to be reserved is up'],
    ['it is fenced on the node', FENCED, 'its time to be reserved is up'],
    ['the node is full', nodeWith({ hasRoom: false }), 'node builder has no free place'],
    [
      'the node has no journal that could be asked',
      { ...RESERVED, ...nodeWith({ journalId: null }) },
      'its node has no journal',
    ],
  ])('gives its place up when %s (@SP-09)', (_why, change, reason) => {
    const release = take({ kind: 'decideRelease', round: 1, reason });
    expect(after(PLACED, { change, place: otherNode })).toStrictEqual(release);
  });

  it('stays with a node that was renamed: it never named one', () => {
    expect(after(PLACED, { change: nodeWith({ name: 'other' }) })).toStrictEqual(
      take({ kind: 'reserve', round: 1 }),
    );
  });

  it('expires when its time is up, but not while a reservation holds (@SP-74)', () => {
    const { data } = placed(1);
    const late: readonly SpawnEvent[] = [
      ...UNPLACED,
      { type: 'SpawnPlacementIntended', data: { ...data, until: EXPIRES_AT + 5 } },
    ];
    const at = (now: number, change: Change): Step<SpawnStep> =>
      after(late, { change: { ...change, now } });
    expect(at(EXPIRES_AT, {})).toStrictEqual(take({ kind: 'expire' }));
    expect(at(EXPIRES_AT + 5, RESERVED)).toStrictEqual(
      take({ kind: 'dispatch', round: 1, journalId }),
    );
    expect(at(EXPIRES_AT + 6, RESERVED)).toStrictEqual(take({ kind: 'expire' }));
  });
});

describe.each([
  ['gave its place up', GIVEN_UP],
  ['was taken back', TAKEN_BACK],
])('a spawn that %s', (_what, history) => {
  it('is fenced on its node first, whatever else waits for it', () => {
    const reason = 'its spawn gave the place up';
    const release = take({ kind: 'releaseSlot', round: 1, reason });
    expect(after(history, { change: RESERVED, place: otherNode })).toStrictEqual(release);
    expect(after(history, { change: TOO_OLD })).toStrictEqual(release);
    expect(after(history, { change: nodeWith({ liveness: 'gone' }) })).toStrictEqual(release);
  });

  it.each([nodeId, otherNode])('is placed anew on %s, which was found for it (@SP-73)', (place) => {
    const again = take({ kind: 'intendPlacement', round: 2, nodeId: place });
    expect(after(history, { change: FENCED, place })).toStrictEqual(again);
  });

  it('waits, in plain words, while there is no node for it', () => {
    expect(after(history, { change: FENCED })).toStrictEqual(lookAgainAt(EXPIRES_AT, WANTED));
  });

  it('expires when its time is up', () => {
    const change = { ...FENCED, ...TOO_OLD };
    expect(after(history, { change, place: otherNode })).toStrictEqual(take({ kind: 'expire' }));
  });
});

describe('a spawn that was sent', () => {
  it('has its frame published', () => {
    const change = { framePublished: false, ...nodeWith({ journalId: otherJournal }) };
    expect(after(SENT_ELSEWHERE, { change })).toStrictEqual(
      take({ kind: 'publishFrame', generation: 2 }),
    );
  });

  it.each([
    ['in calm', {}],
    ['while nobody can judge its node', nodeWith({ liveness: 'unclear' })],
    ['by a node that is not ready any more', nodeWith({ ready: false, capable: false })],
  ])('waits to be taken: %s', (_what, change) => {
    const around = { change: { ...change, now: RETRY_AFTER_AT - 1 }, place: otherNode };
    expect(after(SENT, around)).toStrictEqual(
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
  ])(
    'is taken back when its node %s: unclaimed is certainly unsent (@SP-73)',
    (_w, change, reason) => {
      const revoke = take({ kind: 'revoke', generation: 1, reason });
      expect(after(SENT, { change })).toStrictEqual(revoke);
      expect(after(SENT, { change: { ...change, framePublished: false } })).toStrictEqual(revoke);
    },
  );

  it('is taken back in the generation that it was sent in', () => {
    const change = { now: RETRY_AFTER_AT, ...nodeWith({ journalId: otherJournal, name: 'twin' }) };
    const reason = 'node twin did not take it in time';
    expect(after(SENT_ELSEWHERE, { change })).toStrictEqual(
      take({ kind: 'revoke', generation: 2, reason }),
    );
  });
});
