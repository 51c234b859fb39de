import { LIVE_GENERATION, type Database } from '#postgres';
import type { SlotAccount, SlotAccounts } from './slot-accounts.js';

interface Row {
  readonly workspace: string | null;
  readonly node_id: string;
  readonly held: string;
  readonly accounted: string;
  readonly strangers: readonly string[];
  readonly missing: readonly string[];
  readonly level: boolean;
}

/**
 * A spawn holds a slot when its node said so; it must hold one from its dispatch until it is settled, and while the agent that
 * it started lives. Two questions, so that each has its index: no settled spawn is walked past.
 */
const PROMISED = `SELECT workspace, slot_node_id AS node_id, spawn_id FROM spawn_view WHERE slot <> 'none'
  UNION
  SELECT workspace, coalesce(slot_node_id, node_id) AS node_id, spawn_id FROM spawn_view
  WHERE open AND (status IN ('dispatched', 'claimed') OR (status = 'completed' AND agent <> 'ended'))`;

/** More differences than this are not named: one is enough to look. */
const NAMED_MAX = 20;

const named = (condition: string): string =>
  `coalesce((array_agg(spawn_id ORDER BY spawn_id) FILTER (WHERE ${condition}))[1:${String(NAMED_MAX)}],
    '{}')`;

/** By node: one row for each slot that one side or the other knows of. One statement, one snapshot. */
const ACCOUNTS = `SELECT workspace, node_id,
    count(*) FILTER (WHERE is_held) AS held, count(*) FILTER (WHERE is_owed) AS accounted,
    ${named('is_held AND NOT is_owed')} AS strangers,
    ${named('is_owed AND NOT is_held')} AS missing
  FROM (
    SELECT workspace, node_id, spawn_id, given.spawn_id IS NOT NULL AS is_held,
      promised.spawn_id IS NOT NULL AS is_owed
    FROM (SELECT workspace, node_id, spawn_id FROM slot_view WHERE state <> 'released') AS given
    FULL JOIN (${PROMISED}) AS promised USING (workspace, node_id, spawn_id)
  ) AS sides
  GROUP BY workspace, node_id`;

/** Two read models that have come equally far, by the checkpoints that are written with their rows. */
const LEVEL = `(SELECT count(*) = 2 AND min(sequence) = max(sequence) FROM projection_checkpoint
  WHERE name IN ('nodes', 'spawns') AND generation = '${LIVE_GENERATION}')`;

/** Accounts out of the read models that the projector fills. */
export class TypeormSlotAccounts implements SlotAccounts {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  async unbalanced(
    limit: number,
  ): Promise<{ readonly level: boolean; readonly accounts: readonly SlotAccount[] }> {
    const rows = await this.database.sql.query<Row>(
      `SELECT found.*, ${LEVEL} AS level FROM (VALUES (1)) AS always
       LEFT JOIN (SELECT * FROM (${ACCOUNTS}) AS accounts
         WHERE cardinality(strangers) > 0 OR cardinality(missing) > 0
         ORDER BY workspace, node_id LIMIT $1) AS found ON true`,
      [limit],
    );
    return { level: rows[0]?.level ?? false, accounts: rows.flatMap(accountsOf) };
  }

  async all(workspace: string): Promise<readonly SlotAccount[]> {
    const rows = await this.database.sql.query<Row>(
      `SELECT * FROM (${ACCOUNTS}) AS accounts WHERE workspace = $1 ORDER BY node_id`,
      [workspace],
    );
    return rows.flatMap(accountsOf);
  }
}

/** Where every account balances, one row without a node says whether the two sides are level. */
const accountsOf = (row: Row): readonly SlotAccount[] =>
  row.workspace === null
    ? []
    : [
        {
          workspace: row.workspace,
          nodeId: row.node_id,
          held: Number(row.held),
          accounted: Number(row.accounted),
          strangers: row.strangers,
          missing: row.missing,
        },
      ];
