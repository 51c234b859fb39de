import type { Instant } from '#kernel';
import { LIVE_GENERATION, type Database } from '#postgres';
import type { OpenRuns } from './open-runs.js';
import type { OpenRun } from './run.plan.js';

interface Row {
  readonly workspace: string;
  readonly run_id: string;
  readonly node: string;
  readonly status: OpenRun['status'];
  readonly generation: number;
  readonly look_again_at: Date | null;
  readonly submitted_at: Date;
}
const COLUMNS = 'workspace, run_id, node, status, generation, look_again_at, submitted_at';
/** A claimed run can be in doubt at any time; the others are looked at when they are due. */
const CLAIMED = "status IN ('running', 'stopping')";
/** Says what the index of open runs says, so that it is used: settled runs are never walked past. */
const OPEN = "status IN ('queued', 'dispatched', 'running', 'stopping', 'unknown')";
/** More claimed runs than this are not compared with leases in one pass. Source: 100 nodes at their bound of 100 each. */
const CLAIMED_MAX = 10_000;

/** Open runs out of the read model that the projector fills. */
export class TypeormOpenRuns implements OpenRuns {
  constructor(private readonly database: Database) {}

  async page({ now, after, limit }: Parameters<OpenRuns['page']>[0]): Promise<readonly OpenRun[]> {
    const rows = await this.database.sql.query<Row>(
      `SELECT ${COLUMNS} FROM run_view
       WHERE ${OPEN} AND (look_again_at <= $1 OR ${CLAIMED}) AND (workspace, run_id) > ($2, $3)
       ORDER BY workspace, run_id LIMIT $4`,
      [new Date(now), after?.workspace ?? '', after?.runId ?? '', limit],
    );
    return rows.map(openRunOf);
  }

  async claimed(): Promise<{ readonly rows: readonly OpenRun[]; readonly position: number }> {
    // One statement, one snapshot: rows and position belong together.
    const rows = await this.database.sql.query<Row & { readonly position: string }>(
      `SELECT ${COLUMNS}, checkpoint.sequence AS position
       FROM (SELECT max(sequence) AS sequence FROM projection_checkpoint
         WHERE name = 'runs' AND generation = '${LIVE_GENERATION}') checkpoint
       LEFT JOIN run_view ON ${CLAIMED} LIMIT ${String(CLAIMED_MAX)}`,
    );
    const position = Number(rows[0]?.position ?? 0);
    // Without a claimed run the outer join answers one row that has only the position.
    const claimed = rows.filter((row) => (row.run_id as string | null) !== null);
    return { rows: claimed.map(openRunOf), position };
  }

  /** How many runs are open, by each status that an open one can have. */
  async counts(): Promise<
    readonly { readonly status: OpenRun['status']; readonly count: number }[]
  > {
    const rows = await this.database.sql.query<{ status: string; count: string }>(
      `SELECT status, count(*) AS count FROM run_view WHERE ${OPEN} GROUP BY status`,
      [],
    );
    const counted = new Map(rows.map(({ status, count }) => [status, Number(count)]));
    return OPEN_STATUSES.map((status) => ({ status, count: counted.get(status) ?? 0 }));
  }
}

const OPEN_STATUSES: readonly OpenRun['status'][] = [
  'queued',
  'dispatched',
  'running',
  'stopping',
  'unknown',
];

const openRunOf = (row: Row): OpenRun => ({
  workspace: row.workspace,
  runId: row.run_id,
  node: row.node,
  status: row.status,
  generation: row.generation,
  lookAgainAt: instantOf(row.look_again_at),
  submittedAt: row.submitted_at.getTime(),
});

const instantOf = (date: Date | null): Instant | null => (date === null ? null : date.getTime());
