import { Body, Controller, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import {
  IdQuery,
  ResolutionRequest,
  RevokeTokenRequest,
  StopRequestBody,
  SubmissionRequest,
  TokenRequest,
} from '#contracts/requests';
import type { FastifyReply } from 'fastify';
import { Caller, IdempotencyKey, type Asker } from '../http/caller.js';
import { checked } from '../http/checked.js';
import { Commands, IdPath, StrictElsewhere } from '../openapi/decorators.js';
import {
  IssuedTokenSchema,
  RevokedTokenSchema,
  ResolutionSchema,
  StopAcceptedSchema,
  SubmissionSchema,
} from '../openapi/answers.schema.js';
import { ServiceClient } from '../upstream/service.client.js';
import { commanded } from './replayed.js';
import { refuseStrictContract } from './strict-contract.js';

/** Everything that commands something: checked here for a quick answer, decided by `commands`. */
@Controller('v1')
@ApiTags('commands')
export class CommandsController {
  constructor(@Inject(ServiceClient) private readonly services: ServiceClient) {}

  @Post('submissions')
  @HttpCode(202)
  @ApiBody({ type: SubmissionRequest })
  @Commands('Run a prompt once on an agent', 202, SubmissionSchema)
  @StrictElsewhere()
  submit(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    refuseStrictContract(body);
    checked(SubmissionRequest, body);
    return this.send('hf.cmd.runs.submit', asker, key, body, reply);
  }

  @Post('runs/:id/resolution')
  @HttpCode(200)
  @IdPath('The run')
  @ApiBody({ type: ResolutionRequest })
  @Commands('Settle an unknown outcome by an operator’s decision', 200, ResolutionSchema)
  resolve(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { id: runId } = checked(IdQuery, { id });
    checked(ResolutionRequest, body);
    return this.send('hf.cmd.runs.resolve', asker, key, { ...(body as object), runId }, reply);
  }

  @Post('stops')
  @HttpCode(202)
  @ApiBody({ type: StopRequestBody })
  @Commands(
    'Ask for a target to end; a stop that is accepted first decides',
    202,
    StopAcceptedSchema,
  )
  requestStop(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checked(StopRequestBody, body);
    return this.send('hf.cmd.stops.request', asker, key, body, reply);
  }

  @Post('tokens')
  @HttpCode(201)
  @ApiBody({ type: TokenRequest })
  @Commands('Make a bearer token; it is shown once', 201, IssuedTokenSchema)
  issueToken(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checked(TokenRequest, body);
    return this.send('hf.cmd.access.issue-token', asker, key, body, reply);
  }

  @Post('tokens/revoke')
  @HttpCode(200)
  @ApiBody({ type: RevokeTokenRequest })
  @Commands('End a bearer token', 200, RevokedTokenSchema)
  revokeToken(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checked(RevokeTokenRequest, body);
    return this.send('hf.cmd.access.revoke-token', asker, key, body, reply);
  }

  private send(
    subject: string,
    asker: Asker,
    key: string,
    body: unknown,
    reply: FastifyReply,
  ): Promise<object> {
    return commanded(this.services, { subject, asker, key, body }, reply);
  }
}
