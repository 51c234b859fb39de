import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { RunView } from '#contracts';
import { Database } from '#postgres';
import { OPEN_RUN_STATUSES } from '../contract/index.js';
import { RunViewEntity } from '../projection/index.js';
import { ListOldestOpenRuns } from './run.queries.js';
import { RunViews } from './run-views.js';

/** One step into an index for each status, however many runs there are. */
@QueryHandler(ListOldestOpenRuns)
export class ListOldestOpenRunsHandler implements IQueryHandler<ListOldestOpenRuns> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RunViews) private readonly views: RunViews,
  ) {}

  async execute({ workspace }: ListOldestOpenRuns): Promise<readonly RunView[]> {
    const found = await this.database.read((source) =>
      Promise.all(
        OPEN_RUN_STATUSES.map((status) =>
          source.getRepository(RunViewEntity).findOne({
            where: { workspace, status },
            order: { submittedAt: 'ASC', runId: 'ASC' },
          }),
        ),
      ),
    );
    return this.views.of(
      workspace,
      found.filter((row) => row !== null),
    );
  }
}
