import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page, ProjectionView } from '#contracts';
import { ProjectionPositions } from './projection-positions.js';
import { ListProjections } from './read-models.queries.js';

/** They are few: all of them are on one page. */
@QueryHandler(ListProjections)
export class ListProjectionsHandler implements IQueryHandler<ListProjections> {
  constructor(@Inject(ProjectionPositions) private readonly positions: ProjectionPositions) {}

  async execute(): Promise<Page<ProjectionView>> {
    return { items: await this.positions.all(), nextCursor: null };
  }
}
