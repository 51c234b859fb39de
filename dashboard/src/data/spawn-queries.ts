import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { NodeView, Page, TimelineEntryView } from '../../../libs/contracts/src/views.js';
import { KEYS } from './keys.js';
import { LIVENESS_MS, useNodes, wholeTimeline } from './queries.js';
import { useSession } from './session.js';
import { pathOfSpawns, type SpawnFilter } from './spawn-filter.js';
import { isUnderWay, type SpawnDetailView, type SpawnView } from './spawn-status.js';

/** One page of spawns, the newest first. The page before stays until this one is there. */
export const useSpawns = (filter: SpawnFilter): UseQueryResult<Page<SpawnView>> => {
  const { api } = useSession();
  return useQuery({
    queryKey: [...KEYS.spawns, filter],
    queryFn: () => api.get<Page<SpawnView>>(pathOfSpawns(filter)),
    placeholderData: keepPreviousData,
  });
};

/** What it waits for also depends on whether its node lives, which makes no event. */
export const useSpawn = (spawnId: string): UseQueryResult<SpawnDetailView> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.spawn(spawnId),
    queryFn: () => api.get<SpawnDetailView>(`/spawns/${encodeURIComponent(spawnId)}`),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isUnderWay(state.data.status) ? LIVENESS_MS : 5 * LIVENESS_MS,
  });
};

/** Every event of a spawn, oldest first. */
export const useSpawnTimeline = (spawnId: string): UseQueryResult<readonly TimelineEntryView[]> => {
  const { api } = useSession();
  return useQuery({
    queryKey: [...KEYS.spawn(spawnId), 'timeline'],
    queryFn: () => wholeTimeline(api, `/spawns/${encodeURIComponent(spawnId)}`),
  });
};

/** The node that a spawn is on, as far as it is known. */
export const useNodeOf = ({ nodeId }: Pick<SpawnView, 'nodeId'>): NodeView | undefined => {
  const { data } = useNodes();
  return data?.items.find(({ id }) => id === nodeId);
};
