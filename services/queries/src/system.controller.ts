import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern } from '@nestjs/microservices';
import { AUTHENTICATOR, authorized, type Authenticator } from '#access/contract';
import type { ReadSideSystemView } from '#contracts';
import type { RequestContext } from '#hosting';
import { SystemReader } from './system.reader.js';

/** What is slow, and who does what: all of it seen from the read side. */
@Controller()
export class SystemController {
  constructor(
    @Inject(SystemReader) private readonly system: SystemReader,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @MessagePattern('hf.qry.system.get')
  async get(@Ctx() context: RequestContext): Promise<ReadSideSystemView> {
    const { workspace } = await authorized(this.authenticator, context, 'read');
    return this.system.look(workspace);
  }
}
