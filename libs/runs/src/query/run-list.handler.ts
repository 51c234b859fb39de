import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, RunView } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import { Database, decodeCursor, pageOf } from '#postgres';
import { RunViewEntity } from '../projection/index.js';
import { ListRuns, type RunFilter } from './run.queries.js';
import { RunViews } from './run-views.js';

/** Newest first, by submission. New runs come in front of what was shown, so a cursor never skips or repeats one. */
@QueryHandler(ListRuns)
export class ListRunsHandler implements IQueryHandler<ListRuns> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RunViews) private readonly views: RunViews,
  ) {}

  /** @throws RuleViolation `invalid_request` when the cursor is not one of this list. */
  async execute({ workspace, filter }: ListRuns): Promise<Page<RunView>> {
    const { limit = PAGE_SIZE.default } = filter;
    const after = decodeCursor(filter.cursor, ['number', 'string']);
    const found = await this.database.read((source) => {
      const query = source
        .getRepository(RunViewEntity)
        .createQueryBuilder('run')
        .where('run.workspace = :workspace', { workspace })
        .orderBy('run.submittedAt', 'DESC')
        .addOrderBy('run.runId', 'DESC')
        .limit(limit + 1);
      narrow(query, filter);
      if (after !== undefined) {
        const [at, runId] = after;
        query.andWhere('(run.submittedAt, run.runId) < (:at, :runId)', { at: new Date(at), runId });
      }
      return query.getMany();
    });
    const page = pageOf(found, limit, ({ submittedAt, runId }) => [submittedAt, runId]);
    return { ...page, items: await this.views.of(workspace, page.items) };
  }
}

const narrow = (query: SelectQueryBuilder<RunViewEntity>, filter: RunFilter): void => {
  const { status, agent, node, session, since } = filter;
  if (status !== undefined) query.andWhere('run.status IN (:...status)', { status });
  if (agent !== undefined) query.andWhere('run.agent = :agent', { agent });
  if (node !== undefined) query.andWhere('run.node = :node', { node });
  if (session !== undefined) query.andWhere('run.sessionId = :session', { session });
  if (since !== undefined) query.andWhere('run.submittedAt >= :since', { since: new Date(since) });
};
