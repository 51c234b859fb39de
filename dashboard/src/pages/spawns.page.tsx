import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { hrefOfSpawns, spawnFilterOf, type SpawnFilter } from '../data/spawn-filter.js';
import { useSpawns } from '../data/spawn-queries.js';
import { SPAWN_STATUSES } from '../data/spawn-status.js';
import { PageTitle } from '../parts/page-title.js';
import { SpawnStanding } from '../parts/spawn-standing.js';
import { SpawnTable } from '../parts/spawn-table.js';
import { ReadingTrouble } from '../parts/trouble.js';

export const SpawnsPage = (): ReactNode => {
  const filter = spawnFilterOf(useSearch());
  return (
    <>
      <PageTitle>Spawns</PageTitle>
      <p className="hint">
        Agents that were asked for. A strict one is on the node that was named, or nowhere.
      </p>
      <Filters filter={filter} />
      <SpawnList filter={filter} />
    </>
  );
};

const Filters = ({ filter }: { readonly filter: SpawnFilter }): ReactNode => (
  <nav aria-label="Spawns by status">
    <ul className="chips">
      <li>
        <Chip filter={filter} to={{ status: '', unknown: '' }}>
          all
        </Chip>
      </li>
      {SPAWN_STATUSES.map((status) => (
        <li key={status}>
          <Chip filter={filter} to={{ status, unknown: '' }}>
            <SpawnStanding spawn={{ status, code: null }} />
          </Chip>
        </li>
      ))}
      <li>
        <Chip filter={filter} to={{ status: '', unknown: 'true' }}>
          <span className="is-unknown" aria-hidden="true">
            ?
          </span>{' '}
          not known
        </Chip>
      </li>
      {filter.node !== '' && (
        <li>
          <Link className="chip" href={hrefOfSpawns({ ...filter, node: '', cursor: '' })}>
            node <b>{filter.node}</b> <span aria-hidden="true">✕</span>
            <span className="unseen"> (show others too)</span>
          </Link>
        </li>
      )}
    </ul>
  </nav>
);

const Chip = ({
  filter,
  to,
  children,
}: {
  readonly filter: SpawnFilter;
  readonly to: Pick<SpawnFilter, 'status' | 'unknown'>;
  readonly children: ReactNode;
}): ReactNode => {
  const isChosen = filter.status === to.status && filter.unknown === to.unknown;
  return (
    <Link
      href={hrefOfSpawns({ ...filter, ...to, cursor: '' })}
      className="chip"
      aria-current={isChosen ? 'true' : undefined}
    >
      {children}
    </Link>
  );
};

const SpawnList = ({ filter }: { readonly filter: SpawnFilter }): ReactNode => {
  const { data, error, isPlaceholderData } = useSpawns(filter);
  if (data === undefined)
    return error === null ? (
      <p className="empty">Reading…</p>
    ) : (
      <ReadingTrouble error={error} shown={false} />
    );
  return (
    <section aria-label="List of spawns" aria-busy={isPlaceholderData}>
      <ReadingTrouble error={error} shown />
      {data.items.length > 0 ? (
        <SpawnTable spawns={data.items} />
      ) : (
        <p className="empty">{emptyWords(filter)}</p>
      )}
      <nav className="row pager" aria-label="Pages of the list">
        {filter.cursor !== '' && (
          <Link href={hrefOfSpawns({ ...filter, cursor: '' })}>← Newest spawns</Link>
        )}
        {data.nextCursor !== null && (
          <Link className="next" href={hrefOfSpawns({ ...filter, cursor: data.nextCursor })}>
            Older spawns →
          </Link>
        )}
      </nav>
    </section>
  );
};

const emptyWords = ({ status, node, unknown, cursor }: SpawnFilter): string => {
  if (cursor !== '') return 'No older spawns.';
  if (unknown !== '') return 'None. Of every spawn it is known whether an agent lives.';
  if (status !== '') return `No spawn is ${status}.`;
  if (node !== '') return 'No spawns on this node.';
  return 'No spawns yet. `holdfast spawn` asks for one.';
};
