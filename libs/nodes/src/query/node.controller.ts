import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { NodeView, Page } from '#contracts';
import { NameQuery, PageQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { GetNode, ListNodes } from './node.queries.js';

@Controller()
export class NodeQueriesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.nodes.list')
  async list(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<Page<NodeView>> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    return this.queries.execute(new ListNodes(workspace, accept(validate(PageQuery, body))));
  }

  @MessagePattern('hf.qry.nodes.get')
  async get(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<NodeView> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { id } = accept(validate(NameQuery, body));
    return this.queries.execute(new GetNode(workspace, id));
  }
}
