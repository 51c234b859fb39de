import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, requirePermission, type Authenticator } from '#access/contract';
import type { ResolutionAnswer, SubmissionAnswer } from '#contracts';
import {
  ResolveRunRequest,
  SubmissionRequest,
  accept,
  acceptKey,
  validate,
} from '#contracts/requests';
import { traceOf, type RequestContext } from '#hosting';
import { ResolveRunCommand, SubmitRunCommand } from './run.commands.js';

/** What callers ask of runs. */
@Controller()
export class RunsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.cmd.runs.submit')
  async submit(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<SubmissionAnswer> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    requirePermission(caller, 'submit');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(SubmissionRequest, body));
    return this.commands.execute(
      new SubmitRunCommand(caller, key, request, body, traceOf(context)),
    );
  }

  @MessagePattern('hf.cmd.runs.resolve')
  async resolve(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<ResolutionAnswer> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    requirePermission(caller, 'resolve');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(ResolveRunRequest, body));
    return this.commands.execute(new ResolveRunCommand(caller, key, request, traceOf(context)));
  }
}
