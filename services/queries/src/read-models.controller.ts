import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { Page, ProjectionView } from '#contracts';
import { ChangesQuery, PAGE_SIZE, PageQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { ListChanges, ListProjections, type ChangesView } from './read-models.queries.js';

/** What callers may ask about all read models together. */
@Controller()
export class ReadModelsController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.projections.list')
  async projections(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<Page<ProjectionView>> {
    await authorized(this.authenticator, context, 'read');
    accept(validate(PageQuery, body));
    return this.queries.execute(new ListProjections());
  }

  @MessagePattern('hf.qry.changes.list')
  async changes(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<ChangesView> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { after, limit = PAGE_SIZE.max } = accept(validate(ChangesQuery, body));
    return this.queries.execute(new ListChanges(workspace, after, limit));
  }
}
