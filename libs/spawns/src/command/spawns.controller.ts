import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator, type Caller } from '#access/contract';
import type { SpawnAnswer, SpawnResolutionAnswer, StrictSpawnAnswer } from '#contracts';
import {
  CreateSpawnRequest,
  ResolveSpawnRequest,
  SpawnReplayRequest,
  StrictInvokeRequest,
  accept,
  acceptKey,
  validate,
} from '#contracts/requests';
import { traceOf, type RequestContext } from '#hosting';
import { RuleViolation } from '#kernel';
import {
  CreateSpawnCommand,
  ReplaySpawnCommand,
  ResolveSpawnCommand,
  StrictInvokeCommand,
} from './spawn.commands.js';

/** What callers ask of spawns. */
@Controller()
export class SpawnsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.cmd.spawns.strictInvoke')
  async strictInvoke(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<StrictSpawnAnswer> {
    const caller = await this.agentOf(context);
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(StrictInvokeRequest, body));
    return this.commands.execute(new StrictInvokeCommand(caller, key, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.spawns.replay')
  async replay(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<StrictSpawnAnswer> {
    const caller = await this.agentOf(context);
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(SpawnReplayRequest, body));
    return this.commands.execute(new ReplaySpawnCommand(caller, key, request, traceOf(context)));
  }

  @MessagePattern('hf.cmd.spawns.create')
  async create(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<SpawnAnswer> {
    const caller = await authorized(this.authenticator, context, 'submit');
    const key = acceptKey(context.get('idempotency-key'));
    refuseStrict(body);
    const request = accept(validate(CreateSpawnRequest, body));
    return this.commands.execute(
      new CreateSpawnCommand(caller, key, request, body, traceOf(context)),
    );
  }

  @MessagePattern('hf.cmd.spawns.resolve')
  async resolve(
    @Payload() body: unknown,
    @Ctx() context: RequestContext,
  ): Promise<SpawnResolutionAnswer> {
    const caller = await authorized(this.authenticator, context, 'resolve');
    const key = acceptKey(context.get('idempotency-key'));
    const request = accept(validate(ResolveSpawnRequest, body));
    return this.commands.execute(new ResolveSpawnCommand(caller, key, request, traceOf(context)));
  }

  /** A strict spawn belongs to one agent: a token that speaks for a whole workspace is no identity to bind it to. */
  private async agentOf(context: RequestContext): Promise<Caller> {
    const caller = await authorized(this.authenticator, context, 'read');
    if (caller.role !== 'agent')
      throw new RuleViolation(
        'agent_token_required',
        { role: caller.role },
        `a strict spawn takes the token of an agent, not of an ${caller.role}`,
      );
    return caller;
  }
}

const STRICT_FIELDS = ['spawn_contract', 'spawnContract'];

/** What promises a strict spawn is let in at one door only. */
const refuseStrict = (body: unknown): void => {
  const isStrict =
    typeof body === 'object' &&
    body !== null &&
    STRICT_FIELDS.some((field) => Object.hasOwn(body, field));
  if (isStrict)
    throw new RuleViolation(
      'strict_contract_route_only',
      {},
      'a strict spawn is asked for at /v1/actions/spawn/strict-invoke, and nowhere else',
    );
};
