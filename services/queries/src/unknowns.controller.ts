import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { Page, UnknownItemView } from '#contracts';
import { NodeListQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import { ListRuns, type RunFilter } from '#runs/query';
import { ListSpawns, type SpawnFilter } from '#spawns/query';
import { pageOfUnknowns } from './unknowns.page.js';

/** What waits for proof, or for an operator. It belongs to no slice: runs and spawns are asked for, and shown as one list. */
@Controller()
export class UnknownsController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.unknowns.list')
  async list(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<Page<UnknownItemView>> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    const { node, ...window } = accept(validate(NodeListQuery, body));
    const on = node === undefined ? {} : { node };
    const spawnsOf = (filter: SpawnFilter) => new ListSpawns(workspace, filter);
    const runsOf = (filter: RunFilter) => new ListRuns(workspace, filter);
    return pageOfUnknowns(
      {
        spawns: (part) => this.queries.execute(spawnsOf({ ...part, ...on, unknown: true })),
        runs: (part) => this.queries.execute(runsOf({ ...part, ...on, status: ['unknown'] })),
      },
      window,
    );
  }
}
