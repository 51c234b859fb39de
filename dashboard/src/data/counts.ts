import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Page, RunView } from '../../../libs/contracts/src/views.js';
import { KEYS } from './keys.js';
import { PAGE_MAX } from './queries.js';
import { pathOfRuns } from './run-filter.js';
import { OPEN_STATUSES, STATUSES, isOpen, type RunStatus } from './run-status.js';
import { useSession } from './session.js';

/** How many runs stand where. */
export interface RunCounts {
  readonly byStatus: ReadonlyMap<RunStatus, number>;
  readonly total: number;
  /** Older runs that are settled are not counted. */
  readonly onlyNewest: boolean;
  /** Even of the open ones there are more. */
  readonly moreOpen: boolean;
}

/** Counts every run once: of those that are open all, of the settled ones the newest. Pure. */
export const countRuns = (newest: Page<RunView>, open: Page<RunView>): RunCounts => {
  // The open ones were read later: of a run on both pages they know better.
  const runs = new Map(
    [...newest.items, ...open.items].map(({ runId, status }) => [runId, status]),
  );
  const byStatus = new Map<RunStatus, number>(STATUSES.map((status) => [status, 0]));
  for (const status of runs.values()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  return {
    byStatus,
    total: runs.size,
    onlyNewest: newest.nextCursor !== null,
    moreOpen: open.nextCursor !== null,
  };
};

/** Where runs stand, counted from two pages: those that are open, and the newest ones. */
export const useRunCounts = (): UseQueryResult<RunCounts> => {
  const { api } = useSession();
  return useQuery({
    queryKey: KEYS.counts,
    queryFn: async () => {
      const newest = await api.get<Page<RunView>>(pathOfRuns({}, PAGE_MAX));
      const everyRun = newest.nextCursor === null;
      const open = everyRun
        ? { items: newest.items.filter(({ status }) => isOpen(status)), nextCursor: null }
        : await api.get<Page<RunView>>(pathOfRuns({ status: OPEN_STATUSES.join(',') }, PAGE_MAX));
      return countRuns(newest, open);
    },
  });
};
