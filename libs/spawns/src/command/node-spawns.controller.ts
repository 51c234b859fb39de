import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { ClaimAnswer, ReportAnswer } from '#contracts';
import { SpawnClaimBody, accept, validate, validateSpawnReport } from '#contracts/requests';
import { nodeOf, traceOf, type RequestContext } from '#hosting';
import { ClaimSpawnCommand, ReportSpawnCommand } from './spawn.commands.js';

/** What nodes ask and say of spawns. Who speaks stands in the subject: their permissions allow them no other. */
@Controller()
export class NodeSpawnsController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @MessagePattern('hf.cmd.spawns.claim.*.*')
  async claim(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<ClaimAnswer> {
    const { workspace, node } = nodeOf(context);
    const request = accept(validate(SpawnClaimBody, body));
    return this.commands.execute(new ClaimSpawnCommand(workspace, node, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.spawns.report.*.*')
  async report(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<ReportAnswer> {
    const { workspace, node } = nodeOf(context);
    const report = accept(validateSpawnReport(body));
    return this.commands.execute(new ReportSpawnCommand(workspace, node, report, traceOf(context)));
  }
}
