import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { NodeServiceAnswer } from '#contracts';
import { NodeServiceRequest, accept, acceptKey, validate } from '#contracts/requests';
import { traceOf, type RequestContext } from '#hosting';
import { ServeNodeCommand } from './node.commands.js';

/** What operators ask of nodes. */
@Controller()
export class NodeServiceController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.cmd.nodes.drain')
  drain(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<NodeServiceAnswer> {
    return this.serve('DrainNode', body, context);
  }

  @MessagePattern('hf.cmd.nodes.return')
  putBack(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<NodeServiceAnswer> {
    return this.serve('ReturnNode', body, context);
  }

  private async serve(
    type: ServeNodeCommand['type'],
    body: unknown,
    context: RequestContext,
  ): Promise<NodeServiceAnswer> {
    const caller = await authorized(this.authenticator, context, 'resolve');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(NodeServiceRequest, body));
    return this.commands.execute(
      new ServeNodeCommand(type, caller, key, request, traceOf(context)),
    );
  }
}
