import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, type Asker } from '../http/caller.js';
import { EventsOnly, LastEventId } from '../openapi/decorators.js';
import { ChangeStreams } from '../streams/change.streams.js';
import { lastSeen } from '../streams/last-event-id.js';

@Controller('v1')
@ApiTags('changes')
export class ChangesController {
  constructor(@Inject(ChangeStreams) private readonly streams: ChangeStreams) {}

  @Get('changes')
  @LastEventId()
  @EventsOnly('What changes, as server-sent events: read again what an event names')
  changes(
    @Caller() asker: Asker,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.serve(request, reply, asker, lastSeen(request));
  }
}
