import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { RevocationAnswer, TokenAnswer } from '#contracts';
import { RevokeTokenRequest, TokenRequest, accept, acceptKey, validate } from '#contracts/requests';
import { traceOf, type RequestContext } from '#hosting';
import { AUTHENTICATOR, requirePermission, type Authenticator } from '../contract/index.js';
import { IssueToken, RevokeToken } from './tokens.commands.js';

/** What operators ask about who may come in. */
@Controller()
export class AccessController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.cmd.access.issue-token')
  async issue(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<TokenAnswer> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    requirePermission(caller, 'administer');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(TokenRequest, body));
    return this.commands.execute(new IssueToken(caller, key, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.access.revoke-token')
  async revoke(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<RevocationAnswer> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    requirePermission(caller, 'administer');
    acceptKey(context.get('idempotency-key')); // As with every command, though what it names can happen only once.
    const request = accept(validate(RevokeTokenRequest, body));
    return this.commands.execute(new RevokeToken(caller, request, traceOf(context)));
  }
}
