import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Page, RunView } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { RunTable } from '../parts/run-table.js';
import { SubmitForm } from '../parts/submit-form.js';
import { Trouble } from '../parts/trouble.js';

const FILTERS = [
  '',
  'queued',
  'dispatched',
  'running',
  'stopping',
  'unknown',
  'completed',
  'failed',
  'stopped',
  'abandoned',
] as const;

export const RunsPage = (): ReactNode => {
  const { api } = useSession();
  const [status, setStatus] = useState('');
  const runs = useInfiniteQuery({
    queryKey: ['runs', status],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        limit: '50',
        ...(status && { status }),
        ...(pageParam && { cursor: pageParam }),
      });
      return api.get<Page<RunView>>(`/runs?${query.toString()}`);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <SubmitForm />
      <section aria-labelledby="runs-title">
        <div className="row">
          <h2 id="runs-title">Runs</h2>
          <label>
            Status{' '}
            <select
              value={status}
              onChange={(event) => {
                setStatus(event.target.value);
              }}
            >
              {FILTERS.map((name) => (
                <option key={name} value={name}>
                  {name === '' ? 'all' : name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Trouble error={runs.error} />
        {items.length > 0 ? (
          <RunTable runs={items} />
        ) : (
          <p className="empty">
            {runs.isPending ? 'Reading…' : 'No runs here yet. Submit one above.'}
          </p>
        )}
        {runs.hasNextPage && (
          <button type="button" className="quiet" onClick={() => void runs.fetchNextPage()}>
            Older runs
          </button>
        )}
      </section>
    </>
  );
};
