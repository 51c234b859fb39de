import type { Instant, SpawnId } from '#kernel';
import type { NodeDescription, SlotEvent, SlotSnapshot } from './node.events.js';

/** A place for one spawned agent, owned by one round of one spawn. */
export interface Slot {
  readonly round: number;
  readonly token: string;
  readonly snapshot: SlotSnapshot;
  /** `reserved`: for a spawn under way, or for an agent that may be alive. `occupied`: by a spawned agent. */
  readonly state: 'reserved' | 'occupied';
  readonly reservedAt: Instant;
  readonly until: Instant;
  readonly occupiedAt: Instant | null;
}

/** No round up to this one may be given a slot any more. */
interface Fence {
  readonly round: number;
  readonly until: Instant;
}

/** What a node's stream says of its slots. */
export interface Slots {
  readonly held: Readonly<Record<SpawnId, Slot>>;
  readonly fences: Readonly<Record<SpawnId, Fence>>;
}

/** What of a node decides about its slots. */
export interface SlotKeeper {
  readonly status: 'none' | 'member' | 'left';
  readonly description: Pick<NodeDescription, 'capacity'> | null;
  /** An operator took it out of service: it gets nothing new. */
  readonly drained: boolean;
  readonly slots: Slots;
}

export const NO_SLOTS: Slots = { held: {}, fences: {} };

/**
 * How long a fence is kept after the round that it fences can be reserved no more, ms. A reservation after `until` is
 * refused by the clock; this is how far the clocks of two machines may be apart before a held-up one could slip past both,
 * and the reconciler would have to free the slot.
 */
export const FENCE_KEPT_MS = 3_600_000;

export const slotsUsed = ({ held }: Slots): number => Object.keys(held).length;

/** The highest round that is fenced; 0 = none. */
export const fencedRound = ({ fences }: Slots, spawnId: SpawnId): number =>
  fences[spawnId]?.round ?? 0;

export const slotOf = ({ held }: Slots, spawnId: SpawnId): Slot | null => held[spawnId] ?? null;

export const evolveSlots = (slots: Slots, event: SlotEvent): Slots => {
  switch (event.type) {
    case 'SlotReserved': {
      const { spawnId, round, token, snapshot, until, at: reservedAt } = event.data;
      const slot = { round, token, snapshot, state: 'reserved', reservedAt, until } as const;
      return { ...slots, held: { ...slots.held, [spawnId]: { ...slot, occupiedAt: null } } };
    }
    case 'SlotOccupied': {
      const { spawnId, at: occupiedAt } = event.data;
      const slot = slotOf(slots, spawnId);
      if (slot === null) return slots;
      return {
        ...slots,
        held: { ...slots.held, [spawnId]: { ...slot, state: 'occupied', occupiedAt } },
      };
    }
    case 'SlotReleased': {
      const { spawnId, round, until, at } = event.data;
      const slot = slotOf(slots, spawnId);
      const held = slot !== null && slot.round <= round ? without(slots.held, spawnId) : slots.held;
      // Kept from its release on: what was placed long ago may be released just now, and would be forgotten at once.
      const fence = {
        round: Math.max(round, fencedRound(slots, spawnId)),
        until: Math.max(until, at),
      };
      return { held, fences: { ...stillNeeded(slots.fences, at), [spawnId]: fence } };
    }
  }
};

const without = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));

const stillNeeded = (fences: Slots['fences'], at: Instant): Slots['fences'] =>
  Object.fromEntries(Object.entries(fences).filter(([, { until }]) => until + FENCE_KEPT_MS > at));
