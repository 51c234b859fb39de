import type { Commit } from '#event-store';
import { fold } from '#kernel';
import { NODE, type NodeEvent, type NodeState } from '#nodes/domain';
import { evolveSpawn, initialSpawn, type ExistingSpawn, type SpawnEvent } from '#spawns/domain';

/** Folds of all spawns, by the deciders' own rules. */
export const spawnsOf = (commits: readonly Commit[]): ReadonlyMap<string, ExistingSpawn> => {
  const spawns = new Map<string, ExistingSpawn>();
  for (const { ref, events } of commits) {
    if (ref.aggregate !== 'spawn') continue;
    const before = spawns.get(ref.id) ?? initialSpawn(ref.id);
    const after = fold(evolveSpawn, before, events as readonly SpawnEvent[]);
    if (after.status !== 'none') spawns.set(ref.id, after);
  }
  return spawns;
};

/** Folds of all nodes. */
export const nodesOf = (commits: readonly Commit[]): ReadonlyMap<string, NodeState> => {
  const nodes = new Map<string, NodeState>();
  for (const { ref, events } of commits) {
    if (ref.aggregate !== 'node') continue;
    const before = nodes.get(ref.id) ?? NODE.initialState(ref.id);
    nodes.set(ref.id, fold(NODE.evolve, before, events as readonly NodeEvent[]));
  }
  return nodes;
};

/** Spawns whose agent is recorded to have ended. */
export const endedAgentsOf = (commits: readonly Commit[]): ReadonlySet<string> =>
  new Set(
    commits
      .filter(
        ({ ref, events }) =>
          ref.aggregate === 'agent' && events.some(({ type }) => type === 'AgentEnded'),
      )
      .map(({ ref }) => ref.id),
  );

/** What was committed of one spawn's places, on whichever node. */
export const slotEventsOf = (
  commits: readonly Commit[],
  spawnId: string,
): readonly { readonly node: string; readonly type: string; readonly round: number }[] =>
  commits
    .filter(({ ref }) => ref.aggregate === 'node')
    .flatMap(({ ref, events }) =>
      events.flatMap(({ type, data }) => {
        const { spawnId: of, round } = data as { spawnId?: string; round?: number };
        return of === spawnId && round !== undefined ? [{ node: ref.id, type, round }] : [];
      }),
    );
