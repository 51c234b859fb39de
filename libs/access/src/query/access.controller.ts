import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { CallerView } from '#contracts';
import type { RequestContext } from '#hosting';
import { RuleViolation } from '#kernel';
import { AUTHENTICATOR, type Authenticator } from '../contract/index.js';

/** Tells whoever holds a token who they are. */
@Controller()
export class AccessQueriesController {
  constructor(@Inject(AUTHENTICATOR) private readonly authenticator: Authenticator) {}

  @MessagePattern('hf.qry.access.identify')
  async identify(@Payload() body: unknown, @Ctx() context: RequestContext): Promise<CallerView> {
    const caller = await this.authenticator.authenticate(context.get('authorization'));
    refuseFields(body);
    const { principal, role, workspace } = caller;
    return { principal, role, workspace };
  }
}

/** @throws RuleViolation `invalid_request` */
const refuseFields = (body: unknown): void => {
  const isEmpty =
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    Object.keys(body).length === 0;
  if (!isEmpty)
    throw new RuleViolation(
      'invalid_request',
      { errors: [{ path: '', problem: 'must be an empty JSON object' }] },
      'the request is not valid',
    );
};
