import { slotOf } from '#nodes/domain';
import { isTerminal } from '#spawns/domain';
import type { Goal } from '../engine/index.js';
import { SPAWN_GOALS } from './spawn.invariants.js';
import { SPAWN, existing, roundOf, type Pending, type World } from './spawn.world.js';

/**
 * What can always come to its end.
 *
 * @param rounds how often it may be placed at most.
 * @param generations how often it may be sent at most.
 */
export const spawnGoals = (
  rounds: number,
  generations: number,
  worldOf: (state: Int32Array) => World,
): readonly Goal[] => {
  const goal = (
    name: keyof typeof SPAWN_GOALS,
    need: (world: World) => boolean,
    reached: (world: World) => boolean,
  ): Goal => ({
    name,
    stuck: SPAWN_GOALS[name],
    need: (state) => need(worldOf(state)),
    goal: (state) => reached(worldOf(state)),
  });
  const mayBe = (status: 'pending' | 'releasing', world: World): boolean =>
    world.spawn.status === status &&
    !will('expire', world) &&
    roundOf(world.spawn) < rounds &&
    (world.spawn.dispatch?.generation ?? 0) < generations;
  return [
    goal('L1', (world) => !settled(world), settled),
    goal(
      'L2',
      (world) =>
        settled(world) && world.spawn.status !== 'completed' && !world.works.includes('running'),
      (world) => settled(world) && free(world),
    ),
    goal('L3', ended, (world) => ended(world) && free(world)),
    goal(
      'L4',
      (world) => mayBe('releasing', world),
      ({ spawn }) => spawn.status === 'pending',
    ),
    goal(
      'L5',
      (world) => mayBe('pending', world),
      ({ spawn }) => spawn.status === 'dispatched',
    ),
  ];
};

const settled = ({ spawn }: World): boolean => isTerminal(existing(spawn));

const free = (world: World): boolean =>
  world.nodes.every(({ slots }) => slotOf(slots, SPAWN) === null) && !will('reserve', world);

const ended = ({ works, spawn }: World): boolean =>
  spawn.status === 'completed' && works[(spawn.dispatch?.generation ?? 1) - 1] === 'ended';

/** Whoever has found it too old, or wants to reserve, may do so at any moment. */
const will = (kind: Pending['step']['kind'], { workers }: World): boolean =>
  workers.some((pending) => pending?.step.kind === kind);
