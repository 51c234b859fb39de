import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { Page, SpawnDetailView, SpawnView, TimelineEntryView } from '#contracts';
import { AfterQuery, IdQuery, SpawnListQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import type { WorkspaceId } from '#kernel';
import { GetSpawn, GetSpawnTimeline, ListSpawns } from './spawn.queries.js';

/** What callers may ask about spawns. Everything is confined to the caller's workspace: what is elsewhere is not there. */
@Controller()
export class SpawnQueriesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.spawns.list')
  async list(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<Page<SpawnView>> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new ListSpawns(workspace, accept(validate(SpawnListQuery, body))));
  }

  @MessagePattern('hf.qry.spawns.get')
  async get(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<SpawnDetailView> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new GetSpawn(workspace, accept(validate(IdQuery, body)).id));
  }

  @MessagePattern('hf.qry.spawns.timeline')
  async timeline(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<Page<TimelineEntryView>> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(
      new GetSpawnTimeline(workspace, accept(validate(AfterQuery, body))),
    );
  }

  private async workspaceOf(context: RequestContext): Promise<WorkspaceId> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    return workspace;
  }
}
