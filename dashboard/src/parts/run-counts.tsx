import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRunCounts, type RunCounts } from '../data/counts.js';
import { hrefOfRuns, type RunFilter } from '../data/run-filter.js';
import { SIGNS, STATUSES, type RunStatus } from '../data/run-status.js';

/** Where runs stand, as a picture, and as filters of the list below it. */
export const RunCountsBar = ({ filter }: { readonly filter: RunFilter }): ReactNode => {
  const { data } = useRunCounts();
  return (
    <div className="counts">
      {data !== undefined && data.total > 0 && <Bar counts={data} />}
      <nav aria-label="Runs by status">
        <ul className="chips">
          <li>
            <Chip filter={filter} status="">
              all
            </Chip>
          </li>
          {STATUSES.map((status) => (
            <li key={status}>
              <Chip filter={filter} status={status} isEmpty={data?.byStatus.get(status) === 0}>
                <span className={`is-${status}`} aria-hidden="true">
                  {SIGNS[status]}
                </span>{' '}
                {status} {data !== undefined && <b>{data.byStatus.get(status)}</b>}
              </Chip>
            </li>
          ))}
        </ul>
      </nav>
      {data !== undefined && <p className="hint">{scopeOf(data)}</p>}
    </div>
  );
};

/** What was counted, where that is not everything. */
const scopeOf = ({ onlyNewest, moreOpen, total }: RunCounts): string | null => {
  if (!onlyNewest) return null;
  if (moreOpen) return `Of the newest ${total.toLocaleString()} runs; there are more.`;
  return `All open runs, and the newest settled ones: ${total.toLocaleString()} in all.`;
};

const Bar = ({ counts }: { readonly counts: RunCounts }): ReactNode => (
  <div className="bar" aria-hidden="true">
    {STATUSES.map((status) => {
      const count = counts.byStatus.get(status) ?? 0;
      if (count === 0) return null;
      return (
        <span
          key={status}
          className={`fill-${status}`}
          style={{ flexGrow: count }}
          title={`${String(count)} ${status}`}
        />
      );
    })}
  </div>
);

const Chip = ({
  filter,
  status,
  isEmpty = false,
  children,
}: {
  readonly filter: RunFilter;
  readonly status: RunStatus | '';
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
}): ReactNode => {
  const isChosen = filter.status === status;
  return (
    <Link
      href={hrefOfRuns({ ...filter, status, cursor: '' })}
      className={isEmpty && !isChosen ? 'chip empty' : 'chip'}
      aria-current={isChosen ? 'true' : undefined}
    >
      {children}
    </Link>
  );
};
