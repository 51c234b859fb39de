import { journalId, reservedAt } from '../domain/spawn.fixture.js';
import type { SpawnContext, SpawnNode, SpawnSlot } from './index.js';

/** Nothing is in the way: a node that lives, is ready and has room; no slot is held yet. */
export const CALM: SpawnContext = {
  now: 2_000,
  epoch: 1,
  node: {
    liveness: 'alive',
    name: 'builder',
    journalId,
    capable: true,
    ready: true,
    hasRoom: true,
  },
  slot: { round: null, state: 'none', reservedAt, fenced: 0 },
  agent: 'none',
  framePublished: true,
  callerAsks: false,
  lastAskedAt: null,
  windows: {
    reservationMs: 30_000,
    retryAfterMs: 30_000,
    neverDispatchedMs: 600_000,
    repeatMs: 5_000,
  },
};

export type Change = Partial<SpawnContext>;

export const nodeWith = (over: Partial<SpawnNode>): Change => ({ node: { ...CALM.node, ...over } });
export const slotWith = (over: Partial<SpawnSlot>): Change => ({ slot: { ...CALM.slot, ...over } });
export const RESERVED: Change = slotWith({ round: 1, state: 'reserved' });
export const OCCUPIED: Change = slotWith({ round: 1, state: 'occupied' });
export const FENCED: Change = slotWith({ fenced: 1 });
