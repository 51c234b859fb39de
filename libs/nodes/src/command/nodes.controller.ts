import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { JoinAnswer } from '#contracts';
import { JoinBody, LeaveBody, accept, validate } from '#contracts/requests';
import { nodeOf, traceOf, type RequestContext } from '#hosting';
import { JoinNodeCommand, LeaveNodeCommand } from './node.commands.js';

/** What nodes say of themselves. Who speaks stands in the subject: their permissions allow them no other. */
@Controller()
export class NodesController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @MessagePattern('hf.cmd.nodes.join.*.*')
  async join(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<JoinAnswer> {
    const { workspace, node } = nodeOf(context);
    const request = accept(validate(JoinBody, body));
    return this.commands.execute(new JoinNodeCommand(workspace, node, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.nodes.leave.*.*')
  async leave(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<{ readonly left: boolean }> {
    const { workspace, node } = nodeOf(context);
    const request = accept(validate(LeaveBody, body));
    return this.commands.execute(new LeaveNodeCommand(workspace, node, request, traceOf(context)));
  }
}
