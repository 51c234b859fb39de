import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { ChangeView } from '#contracts';
import { ChangesQuery, PAGE_SIZE, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { Database } from '#postgres';

interface ChangeRow {
  readonly kind: ChangeView['kind'];
  readonly id: string;
  readonly status: string;
  readonly change: string;
}

/** The rows of a workspace that changed after a number, each with its newest change only. */
const CHANGED = `
  SELECT kind, id, status, change FROM (
    SELECT 'run' AS kind, run_id AS id, status, change FROM run_view
      WHERE workspace = $1 AND change > $2
    UNION ALL
    SELECT 'session', session_id, active_run_id, change FROM session_view
      WHERE workspace = $1 AND change > $2
    UNION ALL
    SELECT 'agent', name, status, change FROM agent_view WHERE workspace = $1 AND change > $2
    UNION ALL
    SELECT 'node', node_id, membership, change FROM node_view WHERE workspace = $1 AND change > $2
  ) changed ORDER BY change LIMIT $3`;

/** Tells what changed since, so that viewers read again only what they must. */
@Controller()
export class ChangesController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  /** Without a number nothing is listed: `next` then says where "now" is. */
  @MessagePattern('hf.qry.changes.list')
  async list(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<{ readonly items: readonly ChangeView[]; readonly next: number }> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { after, limit = PAGE_SIZE.max } = accept(validate(ChangesQuery, body));
    if (after === undefined) return { items: [], next: await this.newest() };
    const rows = await this.database.sql.query<ChangeRow>(CHANGED, [workspace, after, limit]);
    const items = rows.map(({ kind, id, status }) => ({ kind, id, status }));
    return { items, next: Number(rows.at(-1)?.change ?? after) };
  }

  private async newest(): Promise<number> {
    const [row] = await this.database.sql.query<{ readonly value: string }>(
      'SELECT value FROM change_counter',
    );
    return Number(row?.value ?? 0);
  }
}
