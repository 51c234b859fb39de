import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import {
  AfterQuery,
  CreateSpawnRequest,
  IdQuery,
  SpawnListQuery,
  SpawnReplayRequest,
  SpawnResolutionRequest,
  StrictInvokeRequest,
} from '#contracts/requests';
import type { FastifyReply } from 'fastify';
import { Caller, IdempotencyKey, type Asker } from '../http/caller.js';
import { checked } from '../http/checked.js';
import { TimelinePageSchema } from '../openapi/answers.schema.js';
import { Commands, IdPath, Parameters, Reads, StrictElsewhere } from '../openapi/decorators.js';
import {
  SpawnAcceptedSchema,
  SpawnDetailSchema,
  SpawnPageSchema,
  SpawnResolvedSchema,
  StrictSpawnSchema,
} from '../openapi/spawn.schema.js';
import { ServiceClient } from '../upstream/service.client.js';
import { commanded } from './replayed.js';
import { refuseStrictContract } from './strict-contract.js';

type Given = Readonly<Record<string, unknown>>;

/** Agents that are asked for: on exactly the node that is named, or on whichever fits. */
@Controller('v1')
@ApiTags('spawns')
export class SpawnsController {
  constructor(@Inject(ServiceClient) private readonly services: ServiceClient) {}

  @Post('actions/spawn/strict-invoke')
  @HttpCode(201)
  @ApiBody({ type: StrictInvokeRequest })
  @Commands('One agent on exactly this node, or nothing', 201, StrictSpawnSchema)
  strictInvoke(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checked(StrictInvokeRequest, body);
    const subject = 'hf.cmd.spawns.strictInvoke';
    return commanded(this.services, { subject, asker, key, body }, reply);
  }

  @Post('actions/spawn/replay')
  @HttpCode(201)
  @ApiBody({ type: SpawnReplayRequest })
  @Commands(
    'What became of the strict call under this key; it never makes one',
    201,
    StrictSpawnSchema,
  )
  replayStrict(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checked(SpawnReplayRequest, body);
    const subject = 'hf.cmd.spawns.replay';
    return commanded(this.services, { subject, asker, key, body }, reply);
  }

  @Post('spawns')
  @HttpCode(202)
  @ApiBody({ type: CreateSpawnRequest })
  @Commands('One agent on whichever node fits', 202, SpawnAcceptedSchema)
  @StrictElsewhere()
  createSpawn(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    refuseStrictContract(body);
    checked(CreateSpawnRequest, body);
    const subject = 'hf.cmd.spawns.create';
    return commanded(this.services, { subject, asker, key, body }, reply);
  }

  @Get('spawns')
  @Parameters(SpawnListQuery)
  @Reads(
    'Spawns, the newest first; with `unknown=true` those that wait for an answer',
    SpawnPageSchema,
  )
  spawns(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.spawns.list', asker, checked(SpawnListQuery, query));
  }

  @Get('spawns/:id')
  @IdPath('The spawn')
  @Reads('One spawn, with its task', SpawnDetailSchema)
  spawn(@Caller() asker: Asker, @Param('id') id: string): Promise<object> {
    return this.services.query('hf.qry.spawns.get', asker, checked(IdQuery, { id }));
  }

  @Get('spawns/:id/timeline')
  @IdPath('The spawn')
  @Parameters(AfterQuery)
  @Reads('The events of a spawn, from its stream', TimelinePageSchema)
  spawnTimeline(
    @Caller() asker: Asker,
    @Param('id') id: string,
    @Query() query: Given,
  ): Promise<object> {
    const from = checked(AfterQuery, { ...query, id });
    return this.services.query('hf.qry.spawns.timeline', asker, from);
  }

  @Post('spawns/:id/resolution')
  @HttpCode(200)
  @IdPath('The spawn')
  @ApiBody({ type: SpawnResolutionRequest })
  @Commands('Say what becomes of an agent that may be alive', 200, SpawnResolvedSchema)
  resolveSpawn(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { id: spawnId } = checked(IdQuery, { id });
    checked(SpawnResolutionRequest, body);
    const command = { ...(body as object), spawnId };
    const subject = 'hf.cmd.spawns.resolve';
    return commanded(this.services, { subject, asker, key, body: command }, reply);
  }
}
