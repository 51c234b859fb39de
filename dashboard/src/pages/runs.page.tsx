import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { useRuns, useWorkSession } from '../data/queries.js';
import { filterOf, hrefOfRuns, type RunFilter } from '../data/run-filter.js';
import { shortId } from '../data/words.js';
import { PageTitle } from '../parts/page-title.js';
import { RunCountsBar } from '../parts/run-counts.js';
import { RunTable } from '../parts/run-table.js';
import { SubmitForm } from '../parts/submit-form.js';
import { ReadingTrouble } from '../parts/trouble.js';

export const RunsPage = (): ReactNode => {
  const filter = filterOf(useSearch());
  const session = useWorkSession(filter.session);
  const isOfSession = filter.session !== '';
  return (
    <>
      <PageTitle>Runs</PageTitle>
      {!isOfSession && <SubmitForm />}
      {session.data && <SubmitForm session={session.data} />}
      {isOfSession && <ReadingTrouble error={session.error} shown={session.data !== undefined} />}
      <RunCountsBar filter={filter} />
      <ChosenFilters filter={filter} />
      <RunList filter={filter} />
    </>
  );
};

/** What else the list is narrowed to, each with a way out of it. */
const ChosenFilters = ({ filter }: { readonly filter: RunFilter }): ReactNode => {
  const chosen = (['agent', 'node', 'session'] as const).filter((name) => filter[name] !== '');
  if (chosen.length === 0) return null;
  return (
    <ul className="chips">
      {chosen.map((name) => (
        <li key={name}>
          <Link className="chip" href={hrefOfRuns({ ...filter, [name]: '', cursor: '' })}>
            {name} <b>{name === 'session' ? shortId(filter.session) : filter[name]}</b>{' '}
            <span aria-hidden="true">✕</span>
            <span className="unseen"> (show others too)</span>
          </Link>
        </li>
      ))}
    </ul>
  );
};

const RunList = ({ filter }: { readonly filter: RunFilter }): ReactNode => {
  const { data, error, isPlaceholderData } = useRuns(filter);
  if (data === undefined)
    return error === null ? (
      <p className="empty">Reading…</p>
    ) : (
      <ReadingTrouble error={error} shown={false} />
    );
  return (
    <section aria-label="List of runs" aria-busy={isPlaceholderData}>
      <ReadingTrouble error={error} shown />
      {data.items.length > 0 ? (
        <RunTable runs={data.items} />
      ) : (
        <p className="empty">{emptyWords(filter)}</p>
      )}
      <nav className="row pager" aria-label="Pages of the list">
        {filter.cursor !== '' && (
          <Link href={hrefOfRuns({ ...filter, cursor: '' })}>← Newest runs</Link>
        )}
        {data.nextCursor !== null && (
          <Link className="next" href={hrefOfRuns({ ...filter, cursor: data.nextCursor })}>
            Older runs →
          </Link>
        )}
      </nav>
    </section>
  );
};

const emptyWords = ({ status, agent, node, session, cursor }: RunFilter): string => {
  if (cursor !== '') return 'No older runs.';
  if (status !== '') return `No run is ${status}.`;
  if (agent + node + session !== '') return 'No runs of these.';
  return 'No runs yet. Submit one above.';
};
