import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { AgentView, Page } from '#contracts';
import { NameQuery, NodeListQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { GetAgent, ListAgents } from './agent.queries.js';

@Controller()
export class AgentQueriesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.agents.list')
  async list(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<Page<AgentView>> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    return this.queries.execute(new ListAgents(workspace, accept(validate(NodeListQuery, body))));
  }

  @MessagePattern('hf.qry.agents.get')
  async get(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<AgentView> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { id } = accept(validate(NameQuery, body));
    return this.queries.execute(new GetAgent(workspace, id));
  }
}
