import { Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { OutputView, Page, RunDetailView, RunView, TimelineEntryView } from '#contracts';
import { AfterQuery, IdQuery, RunListQuery, accept, validate } from '#contracts/requests';
import type { RequestContext } from '#hosting';
import type { WorkspaceId } from '#kernel';
import { GetOutput, GetRun, GetTimeline, ListRuns } from './run.queries.js';

/** What callers may ask about runs. Everything is confined to the caller's workspace: what is elsewhere is not there. */
@Controller()
export class RunQueriesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.runs.list')
  async list(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<Page<RunView>> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new ListRuns(workspace, accept(validate(RunListQuery, body))));
  }

  @MessagePattern('hf.qry.runs.get')
  async get(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<RunDetailView> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new GetRun(workspace, accept(validate(IdQuery, body)).id));
  }

  @MessagePattern('hf.qry.runs.timeline')
  async timeline(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<Page<TimelineEntryView>> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new GetTimeline(workspace, accept(validate(AfterQuery, body))));
  }

  @MessagePattern('hf.qry.runs.output')
  async output(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<OutputView> {
    const workspace = await this.workspaceOf(context);
    return this.queries.execute(new GetOutput(workspace, accept(validate(AfterQuery, body))));
  }

  private async workspaceOf(context: RequestContext): Promise<WorkspaceId> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    return workspace;
  }
}
