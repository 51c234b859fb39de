import { slotOf, slotsUsed } from '#nodes/domain';
import { isUnknown } from '#spawns/domain';
import { SPAWN_INVARIANTS } from './spawn.invariants.js';
import type { SpawnBounds } from './spawn.rules.js';
import { SPAWN, existing, holderOf, placeOf, roundOf, type World } from './spawn.world.js';

type Name = keyof typeof SPAWN_INVARIANTS;
export const SPAWN_BITS = Object.keys(SPAWN_INVARIANTS) as readonly Name[];
export const bitOf = (name: Name): number => 1 << SPAWN_BITS.indexOf(name);

/**
 * Bits of what must never be so, and is.
 *
 * @param isDue whether a step is due that gives the slot back.
 */
export const brokenIn = (world: World, bounds: SpawnBounds, isDue: () => boolean): number => {
  const { nodes, spawn, starts } = world;
  const it = existing(spawn);
  const isHeld = nodes.some(({ slots }) => slotOf(slots, SPAWN) !== null);
  const isOut = it.status === 'dispatched' || it.status === 'claimed';
  const place = placeOf(world);
  const slot = place && slotOf(place.slots, SPAWN);
  const noAgentLives =
    (it.status === 'failed' && !isUnknown(it)) ||
    (it.status === 'completed' && world.agent === 'ended');
  const generations = it.dispatch?.generation ?? 0;
  const bits: Readonly<Record<Exclude<Name, 'J6'>, boolean>> = {
    J1: nodes.some(({ slots }) => slotsUsed(slots) > bounds.capacity),
    J2: noAgentLives && isHeld && !isDue(),
    J3: (isOut && slot?.round !== roundOf(spawn)) || world.works.some(isHomeless(world)),
    J4: bounds.kind === 'strict' && generations > 1,
    J5: starts > 1,
    J7: starts > 0 && wasExcluded(world),
  };
  return Object.entries(bits).reduce(
    (all, [name, broken]) => (broken ? all | bitOf(name as Name) : all),
    0,
  );
};

/** An agent lives, and its node holds no slot for it. */
const isHomeless =
  (world: World) =>
  (work: World['works'][number], index: number): boolean => {
    if (work !== 'running') return false;
    const node = world.nodes[holderOf(world, index + 1) ?? 0];
    return node === undefined || slotOf(node.slots, SPAWN) === null;
  };

/** Nothing was started, said the spawn: it failed so, or went on to another generation, or is to. */
const wasExcluded = ({ spawn, works }: World): boolean => {
  const { failure, dispatch, status } = existing(spawn);
  if (failure !== null && failure.code !== 'spawn_outcome_unknown') return true;
  const newest = dispatch?.generation ?? 0;
  const isTakenBack = status === 'pending' || status === 'releasing';
  return works.some((work, index) => {
    const generation = index + 1;
    const isExcluded = generation < newest || (generation === newest && isTakenBack);
    return isExcluded && (work === 'running' || work === 'ended');
  });
};
