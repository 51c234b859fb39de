import {
  keepPreviousData,
  useQuery,
  type QueryKey,
  type UseQueryResult,
} from '@tanstack/react-query';
import type {
  AgentView,
  CallerView,
  NodeView,
  Page,
  ProjectionView,
  RunDetailView,
  RunView,
  SessionView,
  StopView,
  TimelineEntryView,
  UnknownItemView,
} from '../../../libs/contracts/src/views.js';
import type { SystemView } from '../../../libs/contracts/src/system.view.js';
import type { Api } from './api.js';
import type { Around } from './consequences.js';
import { KEYS } from './keys.js';
import { mayDo, type Permission } from './permissions.js';
import { pathOfRuns, type RunFilter } from './run-filter.js';
import { isOpen } from './run-status.js';
import { useSession } from './session.js';

/** Liveness of nodes is judged at each look and makes no event, so what depends on it is looked at often. Milliseconds. */
export const LIVENESS_MS = 2_000;
/** The most that one page of a list may have. Source: the bound of the API. */
export const PAGE_MAX = 200;

export const useCaller = (): CallerView | undefined => {
  const { api } = useSession();
  return useQuery({ queryKey: KEYS.me, queryFn: () => api.get<CallerView>('/me') }).data;
};

/** `unclear` until it is known who is signed in. */
export const useMay = (permission: Permission): boolean | 'unclear' => {
  const caller = useCaller();
  return caller === undefined ? 'unclear' : mayDo(caller.role, permission);
};

/** One page of runs, the newest first. The page before stays until this one is there. */
export const useRuns = (filter: RunFilter): UseQueryResult<Page<RunView>> => {
  const { api } = useSession();
  return useQuery({
    queryKey: [...KEYS.runs, filter],
    queryFn: () => api.get<Page<RunView>>(pathOfRuns(filter)),
    placeholderData: keepPreviousData,
  });
};

/** What waits for a person: spawns whose agent may be alive, then runs. */
export const useUnknowns = (cursor = ''): UseQueryResult<Page<UnknownItemView>> => {
  const { api } = useSession();
  const from = cursor === '' ? '' : `?${new URLSearchParams({ cursor }).toString()}`;
  return useQuery({
    queryKey: [...KEYS.unknowns, cursor],
    queryFn: () => api.get<Page<UnknownItemView>>(`/unknowns${from}`),
  });
};

export const useRun = (runId: string): UseQueryResult<RunDetailView> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.run(runId),
    queryFn: () => api.get<RunDetailView>(`/runs/${encodeURIComponent(runId)}`),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOpen(state.data.status) ? LIVENESS_MS : 5 * LIVENESS_MS,
  });
};

/** Every event of a run, oldest first, up to {@link TIMELINE_PAGES_MAX} pages. */
export const useTimeline = (runId: string): UseQueryResult<readonly TimelineEntryView[]> => {
  const { api } = useSession();
  return useQuery({
    queryKey: [...KEYS.run(runId), 'timeline'],
    queryFn: () => wholeTimeline(api, `/runs/${encodeURIComponent(runId)}`),
  });
};

/** A run has five attempts at most, each of a dozen events: this is far more than any has. */
const TIMELINE_PAGES_MAX = 5;

/** @param of path of what has the timeline. */
export const wholeTimeline = async (
  api: Api,
  of: string,
): Promise<readonly TimelineEntryView[]> => {
  const entries: TimelineEntryView[] = [];
  let after = '0';
  for (let pages = 0; pages < TIMELINE_PAGES_MAX; pages += 1) {
    const path = `${of}/timeline?limit=${String(PAGE_MAX)}&after=${after}`;
    const { items, nextCursor } = await api.get<Page<TimelineEntryView>>(path);
    entries.push(...items);
    if (nextCursor === null) break;
    after = nextCursor;
  }
  return entries;
};

/** What became of a stop. It is read again with what is stopped, which is kept under the key. */
export const useStop = (of: QueryKey, stopId: string): UseQueryResult<StopView> => {
  const { api } = useSession();
  return useQuery({
    queryKey: [...of, 'stop', stopId],
    queryFn: () => api.get<StopView>(`/stops/${encodeURIComponent(stopId)}`),
  });
};

export const useWorkSession = (sessionId: string): UseQueryResult<SessionView> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.session(sessionId),
    queryFn: () => api.get<SessionView>(`/sessions/${encodeURIComponent(sessionId)}`),
    enabled: sessionId !== '',
  });
};

export const useNodes = (): UseQueryResult<Page<NodeView>> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.nodes,
    queryFn: () => api.get<Page<NodeView>>(`/nodes?limit=${String(PAGE_MAX)}`),
    refetchInterval: LIVENESS_MS,
  });
};

export const useAgents = (): UseQueryResult<Page<AgentView>> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.agents,
    queryFn: () => api.get<Page<AgentView>>(`/agents?limit=${String(PAGE_MAX)}`),
  });
};

/** How far the read models are behind, ms: 0 while they are level with the events. */
export const useLagMs = (): number => {
  const { api } = useSession();
  const projections = useQuery({
    queryKey: KEYS.projections,
    queryFn: () => api.get<Page<ProjectionView>>('/projections'),
  });
  return Math.max(0, ...(projections.data?.items ?? []).map(({ lagMs }) => lagMs));
};

/** What is slow. Looked at again and again: most of it makes no event. */
export const useSystem = (): UseQueryResult<SystemView> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.system,
    queryFn: () => api.get<SystemView>('/system'),
    refetchInterval: LIVENESS_MS,
  });
};

/** What else is known of where a run is: its node, and its agent. */
export const useAround = ({ node, agent }: Pick<RunView, 'node' | 'agent'>): Around => {
  const nodes = useNodes();
  const agents = useAgents();
  return {
    node: nodes.data?.items.find(({ id }) => id === node),
    agent: agents.data?.items.find(({ name }) => name === agent),
  };
};
