import type { SpawnEvent } from './spawn.events.js';
import {
  claimedGeneric,
  dispatched,
  frameClaimed,
  incarnation,
  now,
  otherJournal,
  otherNode,
  placed,
  releaseDecided,
  revoked,
  spawnId,
} from './spawn.fixture.js';

/** Placed on the other node. */
export const placedElsewhere = (round: number): SpawnEvent => ({
  type: 'SpawnPlacementIntended',
  data: { ...placed(round).data, nodeId: otherNode },
});
const dispatchedElsewhere = dispatched({
  round: 2,
  generation: 2,
  nodeId: otherNode,
  nodeName: 'twin',
  journalId: otherJournal,
});

/** A generic spawn, from its claim to the place where its second generation was sent. */
export const UNPLACED: readonly SpawnEvent[] = [claimedGeneric];
export const PLACED: readonly SpawnEvent[] = [...UNPLACED, placed(1)];
export const GIVEN_UP: readonly SpawnEvent[] = [...PLACED, releaseDecided()];
export const SENT: readonly SpawnEvent[] = [...PLACED, dispatched()];
export const TAKEN: readonly SpawnEvent[] = [...SENT, frameClaimed()];
export const TAKEN_BACK: readonly SpawnEvent[] = [...SENT, revoked()];
export const PLACED_ELSEWHERE: readonly SpawnEvent[] = [...TAKEN_BACK, placedElsewhere(2)];
export const SENT_ELSEWHERE: readonly SpawnEvent[] = [...PLACED_ELSEWHERE, dispatchedElsewhere];
export const TAKEN_ELSEWHERE: readonly SpawnEvent[] = [
  ...SENT_ELSEWHERE,
  {
    type: 'SpawnFrameClaimed',
    data: { spawnId, at: now, generation: 2, journalId: otherJournal, incarnation },
  },
];
