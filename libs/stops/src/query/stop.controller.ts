import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { StopView } from '#contracts';
import { IdQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { GetStop } from './stop.queries.js';

@Controller()
export class StopQueriesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.stops.get')
  async get(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<StopView> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { id } = accept(validate(IdQuery, body));
    return this.queries.execute(new GetStop(workspace, id));
  }
}
