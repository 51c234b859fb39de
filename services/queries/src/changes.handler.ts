import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ChangeView } from '#contracts';
import { Database } from '#postgres';
import { ListChanges, type ChangesView } from './read-models.queries.js';

interface Row {
  readonly newest: number;
  /** The four of a change; null in the one row that only says where "now" is. */
  readonly kind: ChangeView['kind'] | null;
  readonly id: string;
  readonly status: string;
  readonly change: number;
}

/** How each kind is read. A session is `waiting` while runs queue in it. */
const SOURCES: Readonly<Record<ChangeView['kind'], { table: string; id: string; status: string }>> =
  {
    run: { table: 'run_view', id: 'run_id', status: 'status' },
    session: {
      table: 'session_view',
      id: 'session_id',
      status: "CASE WHEN jsonb_array_length(queue) > 0 THEN 'waiting' ELSE 'open' END",
    },
    agent: { table: 'agent_view', id: 'name', status: 'status' },
    node: { table: 'node_view', id: 'node_id', status: 'membership' },
    // As callers know it.
    spawn: {
      table: 'spawn_view',
      id: 'spawn_id',
      status:
        "CASE status WHEN 'releasing' THEN 'pending' WHEN 'claimed' THEN 'dispatched' ELSE status END",
    },
  };

const NEWEST = '(SELECT value FROM change_counter) AS newest';

/** One statement, one snapshot: all rows up to the counter's value are visible, since who writes rows holds the counter. */
const CHANGES = `SELECT ${NEWEST}, changed.* FROM (VALUES (1)) AS always
  LEFT JOIN (
    SELECT * FROM (${Object.entries(SOURCES)
      .map(
        ([kind, { table, id, status }]) =>
          `(SELECT '${kind}' AS kind, ${id} AS id, ${status} AS status, change FROM ${table}
            WHERE workspace = $1 AND change > $2 ORDER BY change LIMIT $3)`,
      )
      .join(' UNION ALL ')}) AS each_kind
    ORDER BY change LIMIT $3
  ) AS changed ON true
  ORDER BY changed.change`;

/** Numbers of changes are given in the order in which they become visible: reading on from one never misses another. */
@QueryHandler(ListChanges)
export class ListChangesHandler implements IQueryHandler<ListChanges> {
  constructor(@Inject(Database) private readonly database: Database) {}

  async execute({ workspace, after, limit }: ListChanges): Promise<ChangesView> {
    if (after === undefined) return { items: [], next: await this.newest() };
    const rows = await this.database.read((source) =>
      source.query<Row[]>(CHANGES, [workspace, after, limit]),
    );
    const items = rows.flatMap(({ kind, id, status }) =>
      kind === null ? [] : [{ kind, id, status }],
    );
    const last = rows[rows.length - 1];
    // A full page may have more behind it; a position past the counter is of tables that were thrown away.
    const next = items.length === limit ? last?.change : last?.newest;
    return { items, next: next ?? 0 };
  }

  private async newest(): Promise<number> {
    const rows = await this.database.read((source) =>
      source.query<Pick<Row, 'newest'>[]>(`SELECT ${NEWEST}`),
    );
    return rows[0]?.newest ?? 0;
  }
}
