import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { ClaimAnswer, ReportAnswer } from '#contracts';
import { ClaimBody, accept, validate, validateReport } from '#contracts/requests';
import { nodeOf, traceOf, type RequestContext } from '#hosting';
import { ClaimRunCommand, ReportRunCommand } from './run.commands.js';

/** What nodes ask and say of runs. Who speaks stands in the subject: their permissions allow them no other. */
@Controller()
export class NodeRunsController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @MessagePattern('hf.cmd.runs.claim.*.*')
  async claim(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<ClaimAnswer> {
    const { workspace, node } = nodeOf(context);
    const request = accept(validate(ClaimBody, body));
    return this.commands.execute(new ClaimRunCommand(workspace, node, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.runs.report.*.*')
  async report(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<ReportAnswer> {
    const { workspace, node } = nodeOf(context);
    const report = accept(validateReport(body));
    return this.commands.execute(new ReportRunCommand(workspace, node, report, traceOf(context)));
  }
}
