import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AfterQuery, IdQuery, PageQuery, RunListQuery } from '#contracts/requests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, type Asker } from '../http/caller.js';
import { checked } from '../http/checked.js';
import { IdPath, LastEventId, Parameters, Reads } from '../openapi/decorators.js';
import {
  OutputSchema,
  RunDetailSchema,
  RunPageSchema,
  TimelinePageSchema,
} from '../openapi/answers.schema.js';
import { UnknownPageSchema } from '../openapi/unknown.schema.js';
import { lastSeen, wantsEvents } from '../streams/last-event-id.js';
import { RunOutputStreams } from '../streams/run-output.stream.js';
import { ServiceClient } from '../upstream/service.client.js';

type Given = Readonly<Record<string, unknown>>;

@Controller('v1')
@ApiTags('runs')
export class RunsController {
  constructor(
    @Inject(ServiceClient) private readonly services: ServiceClient,
    @Inject(RunOutputStreams) private readonly streams: RunOutputStreams,
  ) {}

  @Get('runs')
  @Parameters(RunListQuery)
  @Reads('Runs, the newest first', RunPageSchema)
  list(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.runs.list', asker, checked(RunListQuery, query));
  }

  @Get('unknowns')
  @Parameters(PageQuery)
  @Reads(
    'What waits for proof or for an operator, with the evidence: spawns, each of which holds a place, then runs; of both the newest first',
    UnknownPageSchema,
  )
  unknowns(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.unknowns.list', asker, checked(PageQuery, query));
  }

  @Get('runs/:id')
  @IdPath('The run')
  @Reads('One run, with its prompt', RunDetailSchema)
  get(@Caller() asker: Asker, @Param('id') id: string): Promise<object> {
    return this.services.query('hf.qry.runs.get', asker, checked(IdQuery, { id }));
  }

  @Get('runs/:id/timeline')
  @IdPath('The run')
  @Parameters(AfterQuery)
  @Reads('The events of a run, from its stream', TimelinePageSchema)
  timeline(
    @Caller() asker: Asker,
    @Param('id') id: string,
    @Query() query: Given,
  ): Promise<object> {
    return this.services.query(
      'hf.qry.runs.timeline',
      asker,
      checked(AfterQuery, { ...query, id }),
    );
  }

  @Get('runs/:id/output')
  @IdPath('The run')
  @Parameters(AfterQuery)
  @LastEventId()
  @Reads(
    'The output that was kept: a page of it, or with `Accept: text/event-stream` all of it as it comes',
    OutputSchema,
    'text/event-stream',
  )
  async output(
    @Caller() asker: Asker,
    @Param('id') id: string,
    @Query() query: Given,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const from = checked(AfterQuery, { ...query, id });
    if (wantsEvents(request)) {
      const after = lastSeen(request) ?? from.after ?? 0;
      return this.streams.serve(request, reply, asker, { id: from.id, after });
    }
    await reply.send(await this.services.query<object>('hf.qry.runs.output', asker, from));
  }
}
