import { describe, expect, it } from '@jest/globals';
import { fold } from '#kernel';
import { deciderSpec } from '#testing';
import type { SpawnEvent } from './spawn.events.js';
import { SPAWN } from './spawn.decider.js';
import { evolveSpawn, initialSpawn } from './spawn.state.js';
import {
  CLAIMED,
  COMPLETED,
  DISPATCHED,
  EXPIRED,
  GENERIC,
  GENERIC_AGAIN,
  NEVER_RECEIVED,
  NOT_STARTED,
  PENDING,
  RELEASING,
  UNKNOWN,
  claim,
  claimGeneric,
  claimed,
  claimedGeneric,
  decideRelease,
  dispatch,
  dispatched,
  expire,
  expired,
  failed,
  intendPlacement,
  nodeId,
  otherNode,
  otherToken,
  placed,
  placedByClaim,
  releaseDecided,
  reservedAt,
  revoke,
  revoked,
  settleUnknown,
  spawnId,
  token,
  unknown,
  until,
} from './spawn.fixture.js';

const given = deciderSpec(SPAWN, spawnId);

/** Histories that end in each status, under the name of the status. */
const EVERY: readonly (readonly [string, readonly SpawnEvent[]])[] = [
  ['pending', PENDING],
  ['releasing', RELEASING],
  ['dispatched', DISPATCHED],
  ['claimed', CLAIMED],
  ['completed', COMPLETED],
  ['failed', NEVER_RECEIVED],
  ['failed', NOT_STARTED],
  ['failed', EXPIRED],
  ['failed', UNKNOWN],
];
const allBut = (...statuses: readonly string[]) =>
  EVERY.filter(([status]) => !statuses.includes(status));

/** Where a history leaves a spawn, and how often it was sent by then. */
const standingAfter = (history: readonly SpawnEvent[]) => {
  const spawn = fold(evolveSpawn, initialSpawn(spawnId), history);
  if (spawn.status === 'none') throw new Error('a history without a claim');
  const { status, placement, earlier, dispatch: newest } = spawn;
  return { status, placement, attempts: earlier.length + (newest === null ? 0 : 1) };
};

describe('a claim', () => {
  it('of a strict spawn is placed on its node in the same commit', () =>
    given([]).when(claim).then([claimed, placedByClaim]));

  it('of a generic spawn has no place yet', () =>
    given([]).when(claimGeneric).then([claimedGeneric]));

  it.each(EVERY)('that comes again is the same spawn: %s', (_status, history) =>
    given(history).when(claim).then([]),
  );

  it.each(EVERY)(
    'under the same key with other content is refused: %s (@SP-17)',
    (_status, history) =>
      given(history)
        .when({ ...claim, fingerprint: 'fingerprint-2' })
        .thenRefuses('idempotency_conflict', { spawnId }),
  );

  it('under the same key of another kind is refused, whatever its fingerprint (@SP-21)', () =>
    given(GENERIC).when(claim).thenRefuses('idempotency_conflict', { spawnId }));

  it.each([
    ['a node', { nodeId: null }],
    ['a place', { place: null }],
  ])('of a strict spawn without %s is refused', (_what, more) =>
    given([])
      .when({ ...claim, ...more })
      .thenRefuses('spawn.strict_without_node', { spawnId }),
  );

  it('must come before any other command', () =>
    given([]).when(dispatch()).thenRefuses('spawn_not_found', { spawnId }));
});

describe('a round', () => {
  it('after a release keeps the token of the spawn, whatever token it comes with, and sends nothing (@SP-46)', () => {
    const next = intendPlacement({ token: otherToken });
    given(RELEASING)
      .when(next)
      .then([placed(2)]);
    expect(standingAfter([...RELEASING, placed(2)])).toStrictEqual({
      status: 'pending',
      placement: { round: 2, token, nodeId, until },
      attempts: 0,
    });
  });

  it('after a release is dispatched as the first attempt, under the token of the spawn (@SP-46)', () =>
    given([...RELEASING, placed(2)])
      .when(dispatch({ round: 2, slot: { round: 2, reservedAt } }))
      .then([dispatched({ round: 2, token, generation: 1 })]));

  it('of a generic spawn that was never placed brings the token', () =>
    given(GENERIC)
      .when(intendPlacement({ round: 1, token, released: false }))
      .then([placed(1)]));

  it('of a generic spawn may be on another node (@SP-73)', () =>
    given([claimedGeneric, placed(1), releaseDecided()])
      .when(intendPlacement({ nodeId: otherNode }))
      .then([{ type: 'SpawnPlacementIntended', data: { ...placed(2).data, nodeId: otherNode } }]));

  it('of a generic spawn follows a dispatch that was taken back (@SP-73)', () =>
    given([claimedGeneric, placed(1), dispatched(), revoked()])
      .when(intendPlacement())
      .then([placed(2)]));

  it('of a strict spawn on another node is refused (@SP-33)', () =>
    given(RELEASING)
      .when(intendPlacement({ nodeId: otherNode }))
      .thenRefuses('spawn.other_node', { spawnId, nodeId: otherNode }));

  it.each([
    ['the last one is not released', { released: false }, 2],
    ['it is the last one', { round: 1 }, 1],
    ['it leaves one out', { round: 3 }, 3],
  ])('is refused when %s', (_why, more, round) =>
    given(RELEASING)
      .when(intendPlacement(more))
      .thenRefuses('spawn.not_placeable', { spawnId, status: 'releasing', round }),
  );

  it.each(allBut('releasing'))('of a spawn that is %s is refused', (status, history) =>
    given(history)
      .when(intendPlacement())
      .thenRefuses('spawn.not_placeable', { spawnId, status, round: 2 }),
  );

  it('is refused to a generic spawn that expired before it was placed', () =>
    given([claimedGeneric, expired()])
      .when(intendPlacement({ round: 1 }))
      .thenRefuses('spawn.not_placeable', { spawnId, status: 'failed', round: 1 }));
});

describe('giving a place up', () => {
  it('is decided for the round that is pending (@SP-47)', () =>
    given(PENDING).when(decideRelease()).then([releaseDecided()]));

  it('keeps the token of the spawn, and sends nothing (@SP-46)', () =>
    expect(standingAfter([...PENDING, releaseDecided()])).toStrictEqual({
      status: 'releasing',
      placement: { round: 1, token, nodeId, until },
      attempts: 0,
    }));

  it.each([
    ['an older round', [...RELEASING, placed(2)], 1],
    ['a round that is not there yet', PENDING, 2],
    ['a round that a generic spawn was never given', GENERIC, 1],
  ])('is refused for %s (@SP-47)', (_what, history, round) =>
    given(history)
      .when(decideRelease(round))
      .thenRefuses('spawn.not_releasable', { spawnId, status: 'pending', round }),
  );

  it.each(allBut('pending'))('is refused when it is %s', (status, history) =>
    given(history)
      .when(decideRelease())
      .thenRefuses('spawn.not_releasable', { spawnId, status, round: 1 }),
  );
});

describe('a dispatch', () => {
  it('has one clock reading, and keeps the time of ownership (@SP-56)', () =>
    given(PENDING)
      .when(dispatch({ now: 2_000, retryAfterAt: 32_000 }))
      .then([dispatched({ at: 2_000, reservedAt, retryAfterAt: 32_000 })]));

  it('after a release is of the new round, under the token of the first (@SP-53)', () =>
    given([...RELEASING, placed(2)])
      .when(dispatch({ round: 2, slot: { round: 2, reservedAt: 700 } }))
      .then([dispatched({ round: 2, reservedAt: 700 })]));

  it('after one that was taken back is the next generation (@SP-53)', () =>
    given([claimedGeneric, placed(1), dispatched(), revoked(), placed(2)])
      .when(dispatch({ round: 2, slot: { round: 2, reservedAt } }))
      .then([dispatched({ round: 2, generation: 2 })]));

  it.each([
    ['without a slot', null],
    ['with the slot of another round', { round: 2, reservedAt }],
  ])('%s is refused (@SP-53)', (_what, slot) =>
    given(PENDING).when(dispatch({ slot })).thenRefuses('spawn.no_slot', { spawnId, round: 1 }),
  );

  it('of an older round is refused (@SP-53)', () =>
    given([...RELEASING, placed(2)])
      .when(dispatch())
      .thenRefuses('spawn.not_dispatchable', { spawnId, status: 'pending', round: 1 }));

  it.each(allBut('pending'))('of a spawn that is %s is refused', (status, history) =>
    given(history)
      .when(dispatch())
      .thenRefuses('spawn.not_dispatchable', { spawnId, status, round: 1 }),
  );

  it('of what was claimed before a restore is refused: it may have been started', () =>
    given(PENDING)
      .when(dispatch({ epoch: 2 }))
      .thenRefuses('spawn.older_epoch', { spawnId, epoch: 2 }));

  it.each([
    ['names no contract', { contract: null }, {}],
    ['names another contract', { contract: 'relay.spawn.invoke.logical/2' }, {}],
    ['names no node', { nodeId: null }, {}],
    ['does not name its node by name', { nodeName: null }, {}],
    ['is placed on another node', {}, { nodeId: otherNode }],
  ])('of a stored strict claim that %s is refused (@SP-22)', (_what, request, place) =>
    given([
      { type: 'SpawnClaimed', data: { ...claimed.data, ...request } },
      { type: 'SpawnPlacementIntended', data: { ...placedByClaim.data, ...place } },
    ])
      .when(dispatch())
      .thenRefuses('spawn.invalid_contract', { spawnId }),
  );
});

describe('taking a dispatch back', () => {
  it('fails a strict spawn in the same commit: nothing was started', () =>
    given(DISPATCHED).when(revoke()).then([revoked(), failed()]));

  it('lets a generic spawn be placed anew', () =>
    given([claimedGeneric, placed(1), dispatched()])
      .when(revoke())
      .then([revoked()]));

  it.each(allBut('dispatched'))('is refused when it is %s', (status, history) =>
    given(history)
      .when(revoke())
      .thenRefuses('spawn.not_revocable', { spawnId, status, generation: 1 }),
  );

  it('is refused for an older generation', () =>
    given(GENERIC_AGAIN)
      .when(revoke())
      .thenRefuses('spawn.not_revocable', { spawnId, status: 'dispatched', generation: 1 }));

  it('is refused after a restore: the claim may be forgotten', () =>
    given(DISPATCHED)
      .when(revoke({ epoch: 2 }))
      .thenRefuses('spawn.maybe_claimed_before_restore', { spawnId, generation: 1 }));
});

describe('a spawn that is never dispatched', () => {
  it.each([
    ['pending', PENDING],
    ['releasing', RELEASING],
    ['a generic one without a place', GENERIC],
  ])('expires when its time is up: %s (@SP-74)', (_status, history) =>
    given(history)
      .when(expire(600_000))
      .then([expired(600_000)]),
  );

  it('is left alone until then', () => given(PENDING).when(expire(599_999)).then([]));

  it.each(allBut('pending', 'releasing'))(
    'is not one that is %s, however old (@SP-74)',
    (_status, history) => given(history).when(expire()).then([]),
  );
});

describe('an outcome that nobody can say', () => {
  it('closes a claimed spawn (@SP-71)', () => given(CLAIMED).when(settleUnknown()).then([unknown]));

  it.each(allBut('claimed'))('is no news of a spawn that is %s', (_status, history) =>
    given(history).when(settleUnknown()).then([]),
  );

  it.each(allBut('completed', 'failed'))(
    'closes a spawn that was %s before a restore',
    (_status, history) => given(history).when(settleUnknown(2)).then([unknown]),
  );

  it.each(allBut('pending', 'releasing', 'dispatched', 'claimed'))(
    'is no news of a spawn that was %s before a restore',
    (_status, history) => given(history).when(settleUnknown(2)).then([]),
  );
});
