import type { Database } from '#postgres';
import type { SpawnStatus } from '../contract/index.js';
import type { OpenSpawn, OpenSpawns } from './open-spawns.js';

interface Row {
  readonly workspace: string;
  readonly spawn_id: string;
  readonly node_id: string | null;
  readonly status: SpawnStatus;
  readonly claimed_at: Date;
  readonly retry_after_at: Date | null;
}

/** Open spawns out of the read model that the projector fills. */
export class TypeormOpenSpawns implements OpenSpawns {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  async page({ after, limit }: Parameters<OpenSpawns['page']>[0]): Promise<readonly OpenSpawn[]> {
    const rows = await this.database.sql.query<Row>(
      `SELECT workspace, spawn_id, node_id, status, claimed_at, retry_after_at FROM spawn_view
       WHERE open AND (workspace, spawn_id) > ($1, $2)
       ORDER BY workspace, spawn_id LIMIT $3`,
      [after?.workspace ?? '', after?.spawnId ?? '', limit],
    );
    return rows.map((row) => ({
      workspace: row.workspace,
      spawnId: row.spawn_id,
      nodeId: row.node_id,
      status: row.status,
      claimedAt: row.claimed_at.getTime(),
      retryAfterAt: row.retry_after_at?.getTime() ?? null,
    }));
  }
}
