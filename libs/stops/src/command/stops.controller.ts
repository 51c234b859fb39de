import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, requirePermission, type Authenticator } from '#access/contract';
import type { StopAnswer } from '#contracts';
import { StopRequestBody, accept, acceptKey, validate } from '#contracts/requests';
import { traceOf, type RequestContext } from '#hosting';
import { RequestStopCommand } from './request-stop.handler.js';

/** What callers want to end. */
@Controller()
export class StopsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.cmd.stops.request')
  async request(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<StopAnswer> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    requirePermission(caller, 'stop');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(StopRequestBody, body));
    return this.commands.execute(
      new RequestStopCommand(caller, key, request, body, traceOf(context)),
    );
  }
}
