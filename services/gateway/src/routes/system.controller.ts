import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { SystemView } from '#contracts';
import { SystemLook } from '../health/system-look.js';
import { Caller, type Asker } from '../http/caller.js';
import { Reads } from '../openapi/decorators.js';
import { SystemSchema } from '../openapi/system.schema.js';

@Controller('v1')
@ApiTags('operation')
export class SystemController {
  constructor(@Inject(SystemLook) private readonly system: SystemLook) {}

  @Get('system')
  @Header('cache-control', 'no-store')
  @Reads(
    'What is slow: lag, positions, who is active, leases, durability, and how long requests took',
    SystemSchema,
  )
  look(@Caller() asker: Asker): Promise<SystemView> {
    return this.system.look(asker);
  }
}
