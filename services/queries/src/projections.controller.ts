import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { Page, ProjectionView } from '#contracts';
import { PageQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { ProjectionPositions } from './projection-positions.js';

/** Tells how far each read model has come. */
@Controller()
export class ProjectionsController {
  constructor(
    @Inject(ProjectionPositions) private readonly positions: ProjectionPositions,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  /** They are few: all of them are on one page. */
  @MessagePattern('hf.qry.projections.list')
  async list(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<Page<ProjectionView>> {
    await authorized(this.authenticator, context, 'read');
    accept(validate(PageQuery, body));
    return { items: await this.positions.all(), nextCursor: null };
  }
}
