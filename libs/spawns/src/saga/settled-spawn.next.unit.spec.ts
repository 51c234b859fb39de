import { describe, expect, it } from '@jest/globals';
import { lookAgainAt, nothing, take, wait, type Step } from '#kernel';
import type { SpawnEvent } from '../domain/index.js';
import {
  COMPLETED,
  EXPIRED,
  NEVER_RECEIVED,
  NOT_STARTED,
  UNKNOWN,
  UNKNOWN_UNCLAIMED,
  agentStopRequested,
  otherJournal,
  resolved,
  seenAlive,
  seenGone,
  spawnAfter,
} from '../domain/spawn.fixture.js';
import { nextStrictSpawn, type SpawnStep } from './index.js';
import {
  CALM,
  FENCED,
  OCCUPIED,
  RESERVED,
  nodeWith,
  slotWith,
  type Change,
} from './spawn.context.fixture.js';

const after = (history: readonly SpawnEvent[], ...changes: readonly Change[]): Step<SpawnStep> =>
  nextStrictSpawn(
    spawnAfter(history),
    changes.reduce<typeof CALM>((all, one) => ({ ...all, ...one }), CALM),
  );
const release = (reason: string, round = 1): Step<SpawnStep> =>
  take({ kind: 'releaseSlot', round, reason });
const ask = take({ kind: 'ask', generation: 1 });
const sendStop = take({ kind: 'sendStop', generation: 1 });
const occupy = take({ kind: 'occupySlot', round: 1 });
const ADOPTED = [...UNKNOWN, seenAlive, resolved('adopt')];
const TO_STOP = [...UNKNOWN, seenAlive, resolved('stop')];

describe('a spawn that certainly has no agent', () => {
  const FAILED: readonly (readonly [string, readonly SpawnEvent[]])[] = [
    ['never received', NEVER_RECEIVED],
    ['not started', NOT_STARTED],
    ['expired', EXPIRED],
  ];

  it.each(FAILED)('gives its slot back: %s', (_what, history) => {
    expect(after(history, RESERVED)).toStrictEqual(release('its spawn failed'));
  });

  it.each(FAILED)(
    'fences its round without a slot too: a reservation may be on its way: %s (@SP-75)',
    (_what, history) => {
      expect(after(history)).toStrictEqual(release('its spawn failed'));
    },
  );

  it.each(FAILED)('needs nothing once it is fenced: %s (@SP-75)', (_what, history) => {
    expect(after(history, FENCED)).toStrictEqual(nothing);
  });
});

describe('a completed spawn', () => {
  const STOPPING = [...COMPLETED, agentStopRequested];

  it('has its reservation become the slot of its agent', () => {
    expect(after(COMPLETED, RESERVED, { agent: 'alive' })).toStrictEqual(occupy);
    expect(after(COMPLETED, RESERVED, { agent: 'none' })).toStrictEqual(occupy);
  });

  it('needs nothing while its agent lives', () => {
    expect(after(COMPLETED, OCCUPIED, { agent: 'alive' })).toStrictEqual(nothing);
  });

  it.each([
    ['occupied', OCCUPIED],
    ['reserved: it ended before it was occupied', RESERVED],
  ])('gives its slot back when its agent has ended: %s', (_what, slot) => {
    expect(after(COMPLETED, slot, { agent: 'ended' })).toStrictEqual(
      release('its agent has ended'),
    );
  });

  it('gives it back once', () => {
    expect(after(COMPLETED, FENCED, { agent: 'ended' })).toStrictEqual(nothing);
    expect(after(STOPPING, FENCED, { agent: 'ended' })).toStrictEqual(nothing);
  });

  it.each([
    ['occupied', OCCUPIED],
    ['reserved', RESERVED],
  ])(
    'gives its slot back when its node has another journal, which can not tell of an end: %s',
    (_what, slot) => {
      const other = nodeWith({ journalId: otherJournal });
      expect(after(COMPLETED, slot, { agent: 'alive' }, other)).toStrictEqual(
        release('its node has another journal'),
      );
      // One that left may come back with its agents.
      const left = nodeWith({ liveness: 'gone', journalId: null });
      expect(after(COMPLETED, OCCUPIED, { agent: 'alive' }, left)).toStrictEqual(nothing);
    },
  );

  it('has its agent stopped when somebody asked for it, its slot first', () => {
    expect(after(STOPPING, RESERVED, { agent: 'alive' })).toStrictEqual(occupy);
    expect(after(STOPPING, OCCUPIED, { agent: 'alive' })).toStrictEqual(sendStop);
  });

  it('waits for its node where that could not be told', () => {
    expect(
      after(STOPPING, OCCUPIED, { agent: 'alive' }, nodeWith({ liveness: 'silent' })),
    ).toStrictEqual(wait('its node to come back, and to end its agent'));
  });

  it('has its node told again until that proves that the agent has ended', () => {
    const told = { agent: 'alive', lastAskedAt: 2_000 } as const;
    expect(after(STOPPING, OCCUPIED, told, { now: 6_999 })).toStrictEqual(
      lookAgainAt(7_000, 'its node to prove that its agent has ended'),
    );
    expect(after(STOPPING, OCCUPIED, told, { now: 7_000 })).toStrictEqual(sendStop);
  });
});

describe('an unknown spawn, whose agent may be alive', () => {
  it('keeps its slot while its node can be asked', () => {
    expect(after(UNKNOWN, RESERVED)).toStrictEqual(ask);
  });

  it('is not asked about all the time', () => {
    const asked = { lastAskedAt: 2_000 };
    expect(after(UNKNOWN, RESERVED, asked, { now: 6_999 })).toStrictEqual(
      lookAgainAt(7_000, 'its node to say whether an agent lives'),
    );
    expect(after(UNKNOWN, RESERVED, asked, { now: 7_000 })).toStrictEqual(ask);
  });

  it.each(['silent', 'unclear'] as const)(
    'keeps its slot while its node is %s, however long',
    (liveness) => {
      const waits = wait('its node to come back, or an operator');
      expect(after(UNKNOWN, RESERVED, nodeWith({ liveness }), { now: 9e9 })).toStrictEqual(waits);
    },
  );

  it('keeps its slot for an agent that lives, until an operator decides', () => {
    expect(after([...UNKNOWN, seenAlive], RESERVED)).toStrictEqual(
      wait('an operator: its agent is alive; stop it, or adopt it'),
    );
  });

  it.each([
    ['its agent is gone', [...UNKNOWN, seenGone], {}, 'no agent of it lives'],
    [
      'its agent is gone, though a report that it lived came late',
      [...UNKNOWN, seenGone, seenAlive],
      {},
      'no agent of it lives',
    ],
    ['its agent has ended', UNKNOWN, { agent: 'ended' } as const, 'no agent of it lives'],
    ['an operator freed it', [...UNKNOWN, resolved('free')], {}, 'an operator freed it'],
    ['its node has left', UNKNOWN, nodeWith({ liveness: 'gone' }), 'its node has left'],
    [
      'its node has another journal',
      UNKNOWN,
      nodeWith({ journalId: otherJournal }),
      'its node has another journal',
    ],
  ])('gives its slot back when %s', (_why, history, change, reason) => {
    expect(after(history, RESERVED, change)).toStrictEqual(release(reason));
    expect(after(history, FENCED, change)).toStrictEqual(nothing);
  });

  it('fences the round of a slot that a restore forgot the spawn of', () => {
    const slot = slotWith({ round: 3, state: 'reserved' });
    expect(after([...UNKNOWN_UNCLAIMED, seenGone], slot)).toStrictEqual(
      release('no agent of it lives', 3),
    );
  });

  it('is asked about after a restore, by whichever journal its node has', () => {
    expect(after(UNKNOWN_UNCLAIMED, nodeWith({ journalId: otherJournal }))).toStrictEqual(ask);
  });
});

describe('what an operator decided of an agent that lives', () => {
  it('is told to its node until that proves that it has ended', () => {
    expect(after(TO_STOP, RESERVED)).toStrictEqual(sendStop);
    expect(after(TO_STOP, RESERVED, { lastAskedAt: 2_000 })).toStrictEqual(
      lookAgainAt(7_000, 'its node to prove that its agent has ended'),
    );
    expect(after([...TO_STOP, seenGone], RESERVED)).toStrictEqual(release('no agent of it lives'));
  });

  it('gives an adopted agent the slot', () => {
    expect(after(ADOPTED, RESERVED)).toStrictEqual(occupy);
    expect(after(ADOPTED, OCCUPIED)).toStrictEqual(nothing);
  });

  it('takes the slot of an adopted agent back when it ends', () => {
    expect(after(ADOPTED, OCCUPIED, { agent: 'ended' })).toStrictEqual(
      release('no agent of it lives'),
    );
  });
});
