import { describe, expect, it } from '@jest/globals';
import { fold, type SpawnId } from '#kernel';
import { deciderSpec } from '#testing';
import { NODE, evolveNode, initialNode, type NodeCommand, type NodeState } from './node.decider.js';
import type { NodeEvent } from './node.events.js';
import {
  nodeId,
  spawnId,
  token,
  now,
  at,
  until,
  snapshot,
  left,
  drained,
  returned,
  reserved,
  MEMBER,
  HELD,
} from './slots.fixture.js';
import { FENCE_KEPT_MS, fencedRound, slotOf, slotsUsed } from './slot.state.js';

const otherSpawn = 'spawn-2';
const otherToken = 'b2'.repeat(16);
const given = deciderSpec(NODE, nodeId);
type CommandOf<Type extends NodeCommand['type']> = Extract<NodeCommand, { type: Type }>;

const released = (round = 1, of: SpawnId = spawnId, when = at): NodeEvent => ({
  type: 'SlotReleased',
  data: { nodeId, at: when, spawnId: of, round, until, reason: 'not ready' },
});
const occupied: NodeEvent = { type: 'SlotOccupied', data: { nodeId, at, spawnId, round: 1 } };

const TAKEN: readonly NodeEvent[] = [...HELD, occupied];

const reserve = (more: Partial<CommandOf<'ReserveSlot'>> = {}): NodeCommand => ({
  type: 'ReserveSlot',
  nodeId,
  now,
  spawnId,
  round: 1,
  token,
  snapshot,
  until,
  ...more,
});
const release = (round = 1): NodeCommand => ({
  type: 'ReleaseSlot',
  nodeId,
  now,
  spawnId,
  round,
  until,
  reason: 'not ready',
});
const occupy = (round = 1): NodeCommand => ({ type: 'OccupySlot', nodeId, now, spawnId, round });
const after = (history: readonly NodeEvent[]): NodeState =>
  fold(evolveNode, initialNode(nodeId), history);

describe('a reservation', () => {
  it('is placement, snapshot and slot in one event (@SP-37)', () =>
    given(MEMBER).when(reserve()).then([reserved()]));

  it.each([
    ['reserved', HELD],
    ['occupied', TAKEN],
    ['reserved on a node that is drained since', [...HELD, drained]],
    ['reserved on a node that left since', [...HELD, left]],
  ])('that is asked for again takes no second slot: %s (@SP-43)', (_what, history) =>
    given(history).when(reserve()).then([]),
  );

  it('is refused when the node is full', () =>
    given([...MEMBER, reserved(1, otherSpawn)])
      .when(reserve())
      .thenRefuses('node_full', { nodeId, capacity: 1 }));

  it('is refused when an agent fills the node', () =>
    given(TAKEN)
      .when(reserve({ spawnId: otherSpawn }))
      .thenRefuses('node_full', { nodeId, capacity: 1 }));

  it('has room where another spawn gave its slot back', () =>
    given([...MEMBER, reserved(1, otherSpawn), released(1, otherSpawn)])
      .when(reserve())
      .then([reserved()]));

  it.each([
    ['its own', 1],
    ['a later one', 2],
  ])('is refused when its round is fenced: by %s (@SP-49)', (_what, fence) =>
    given([...MEMBER, released(fence)])
      .when(reserve())
      .thenRefuses('slot.round_fenced', { spawnId, round: 1 }),
  );

  it('of the next round is given after a fence (@SP-50)', () =>
    given([...HELD, released()])
      .when(reserve({ round: 2 }))
      .then([reserved(2)]));

  it.each([
    ['of another round', { round: 2 }],
    ['under another token', { token: otherToken }],
  ])('%s is refused while a slot of its spawn is held (@SP-42)', (_what, more) =>
    given(HELD).when(reserve(more)).thenRefuses('slot.other_round_open', { spawnId, round: 1 }),
  );

  it('is given up to the last moment', () =>
    given(MEMBER)
      .when(reserve({ until: now }))
      .then([{ ...reserved(), data: { ...reserved().data, until: now } } as NodeEvent]));

  it('is refused when it comes too late', () =>
    given(MEMBER)
      .when(reserve({ until: now - 1 }))
      .thenRefuses('slot.too_late', { spawnId, round: 1 }));

  it.each([
    ['left (@SP-39)', [...MEMBER, left]],
    ['never joined (@SP-30)', []],
  ])('is refused by a node that %s', (_what, history) =>
    given(history).when(reserve()).thenRefuses('node_not_found', { nodeId }),
  );

  it('is refused by a node that is drained', () =>
    given([...MEMBER, drained])
      .when(reserve())
      .thenRefuses('node_not_ready', { nodeId }));

  it('is given by a node that was returned', () =>
    given([...MEMBER, drained, returned])
      .when(reserve())
      .then([reserved()]));
});

describe('a release', () => {
  it.each([
    ['reserved', HELD],
    ['occupied', TAKEN],
    ['not reserved yet', MEMBER],
    ['reserved on a node that left', [...HELD, left]],
  ])('fences its round: %s', (_what, history) => {
    given(history).when(release()).then([released()]);
    const { slots } = after([...history, released()]);
    expect([slotsUsed(slots), fencedRound(slots, spawnId)]).toStrictEqual([0, 1]);
  });

  it('takes slots of rounds up to its own', () => {
    given(HELD)
      .when(release(2))
      .then([released(2)]);
    expect(slotsUsed(after([...HELD, released(2)]).slots)).toBe(0);
  });

  it('leaves the slot of a later round alone (@SP-48, @SP-49)', () => {
    const later = [...MEMBER, reserved(2)];
    given(later).when(release()).then([released()]);
    expect(slotOf(after([...later, released()]).slots, spawnId)?.round).toBe(2);
  });

  it('leaves the slots of other spawns alone (@SP-48)', () => {
    const { slots } = after([...MEMBER, reserved(1, otherSpawn), released()]);
    expect(Object.keys(slots.held)).toStrictEqual([otherSpawn]);
  });

  it.each([
    ['of the same round', [...HELD, released()]],
    ['of a later round', [...HELD, released(2)]],
    ['of the same round, with a new one reserved', [...HELD, released(), reserved(2)]],
  ])('that was made is no news: %s (@SP-75)', (_what, history) =>
    given(history).when(release()).then([]),
  );

  it('never takes a fence back', () =>
    expect(fencedRound(after([...MEMBER, released(2), released(1)]).slots, spawnId)).toBe(2));
});

describe('an agent that was started', () => {
  it('turns the reservation into its slot, and takes no second one', () => {
    given(HELD).when(occupy()).then([occupied]);
    const { slots } = after(TAKEN);
    expect([slotsUsed(slots), slotOf(slots, spawnId)]).toStrictEqual([
      1,
      { round: 1, token, snapshot, state: 'occupied', reservedAt: at, until, occupiedAt: at },
    ]);
  });

  it('does so once', () => given(TAKEN).when(occupy()).then([]));

  it.each([
    ['its slot was released', [...HELD, released()], 1],
    ['another round holds the slot', HELD, 2],
    ['there was never one', MEMBER, 1],
  ])('takes no slot when %s', (_why, history, round) =>
    given(history).when(occupy(round)).thenRefuses('slot.not_reserved', { spawnId, round }),
  );
});

describe('a fence', () => {
  const fencedAfter = (when: number): number => {
    const history = [...MEMBER, released(), released(1, otherSpawn, when)];
    return fencedRound(after(history).slots, spawnId);
  };

  it('is kept long after its round can be reserved no more', () =>
    expect(fencedAfter(until + FENCE_KEPT_MS - 1)).toBe(1));

  it('is forgotten then, or they would grow for ever', () =>
    expect(fencedAfter(until + FENCE_KEPT_MS)).toBe(0));

  it('that is forgotten lets nothing through: the round is too late', () =>
    given([...MEMBER, released(), released(1, otherSpawn, until + FENCE_KEPT_MS)])
      .when(reserve({ now: until + FENCE_KEPT_MS }))
      .thenRefuses('slot.too_late', { spawnId, round: 1 }));
});

describe('a fence', () => {
  it('is kept from its release on, however long ago its round was placed', () => {
    const late = until + 2 * FENCE_KEPT_MS;
    const history = [...HELD, released(1, spawnId, late), released(1, otherSpawn, late + 1)];
    const { slots } = fold(evolveNode, initialNode(nodeId), history);
    expect(fencedRound(slots, spawnId)).toBe(1);
  });
});
