import { holderOf, type Pending, type Work, type World } from './spawn.world.js';

/** The frame of a generation stands in its stream. */
export const sent = ({ frames }: World, generation: number): Pick<World, 'frames'> => {
  const [first, second] = frames;
  return { frames: generation === 1 ? [true, second] : [first, true] };
};

/** How far its node has come with a generation. */
export const working = ({ works }: World, generation: number, work: Work): Pick<World, 'works'> => {
  const [first, second] = works;
  return { works: generation === 1 ? [work, second] : [first, work] };
};

/** A stop reaches its node: what runs ends, and nothing else changes. */
export const stoppedIn = (world: World, generation: number): Partial<World> =>
  world.works[generation - 1] === 'running' ? working(world, generation, 'ended') : {};

/**
 * A node-agent dies, and starts anew: whatever it had not started is closed then.
 *
 * @param closes whether it is; else it is asked for again.
 * @returns null where that changes nothing.
 */
export const crashed = (world: World, index: number, closes: boolean): Partial<World> | null => {
  const { works, crashesLeft, incarnations } = world;
  const isThere = (at: number): boolean => holderOf(world, at + 1) === index;
  const forgets = (work: Work, at: number): boolean =>
    isThere(at) && (work === 'asks' || work === 'granted' || (work === 'running' && !closes));
  if (crashesLeft === 0 || !works.some(forgets)) return null;
  const after = (at: 0 | 1): Work => {
    if (!forgets(works[at], at)) return works[at];
    return closes ? 'closed' : 'asks';
  };
  const later = (at: 0 | 1): number =>
    incarnations[at] + (isThere(at) && works[at] !== '-' ? 1 : 0);
  return {
    crashesLeft: crashesLeft - 1,
    incarnations: [later(0), later(1)],
    works: [after(0), after(1)],
  };
};

/** The agent's own stream follows what its node reports, once the spawn has it; null where it has nothing to add. */
export const agentAfter = ({ works, agent, spawn }: World): 'alive' | 'ended' | null => {
  if (spawn.status !== 'completed') return null;
  const work = works[(spawn.dispatch?.generation ?? 1) - 1];
  if (work === 'running' && agent === 'none') return 'alive';
  return work === 'ended' && agent !== 'ended' ? 'ended' : null;
};

/** What was decided on the spawn as it was is refused once it has moved on: who decided it looks again. */
export const overtaken = (world: World): World => {
  const [first, second] = world.workers;
  const left = (pending: Pending | null): Pending | null =>
    (pending?.command ?? null) === null ? pending : null;
  return { ...world, workers: [left(first), left(second)] };
};
