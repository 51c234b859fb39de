import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { RunDetailView } from '#contracts';
import { bug } from '#kernel';
import { GetRun } from './run.queries.js';
import { RunReader } from './run-reader.js';
import { RunViews } from './run-views.js';

/** A run that was just accepted is found at once: what the read model does not have yet is folded from the stream. */
@QueryHandler(GetRun)
export class GetRunHandler implements IQueryHandler<GetRun> {
  constructor(
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(RunViews) private readonly views: RunViews,
  ) {}

  /** @throws RuleViolation `run_not_found` */
  async execute({ workspace, runId }: GetRun): Promise<RunDetailView> {
    const row = await this.runs.row(workspace, runId);
    const [[view], prompt] = await Promise.all([
      this.views.of(workspace, [row]),
      this.runs.prompt(workspace, runId),
    ]);
    if (view === undefined) throw bug('a row has no view');
    return { ...view, prompt };
  }
}
