import { Body, Controller, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { NameQuery, NodeServiceBody } from '#contracts/requests';
import type { FastifyReply } from 'fastify';
import { Caller, IdempotencyKey, type Asker } from '../http/caller.js';
import { checked } from '../http/checked.js';
import { NodeServiceSchema } from '../openapi/answers.schema.js';
import { Commands, NamePath } from '../openapi/decorators.js';
import { ServiceClient } from '../upstream/service.client.js';
import { commanded } from './replayed.js';

/** Takes nodes out of service, and puts them back. */
@Controller('v1/nodes')
@ApiTags('commands')
export class NodeServiceController {
  constructor(@Inject(ServiceClient) private readonly services: ServiceClient) {}

  @Post(':id/drain')
  @HttpCode(200)
  @NamePath('id', 'The node')
  @ApiBody({ type: NodeServiceBody })
  @Commands('Give a node nothing new; it finishes what it has', 200, NodeServiceSchema)
  drainNode(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const command = commandOf(id, body);
    const subject = 'hf.cmd.nodes.drain';
    return commanded(this.services, { subject, asker, key, body: command }, reply);
  }

  @Post(':id/return')
  @HttpCode(200)
  @NamePath('id', 'The node')
  @ApiBody({ type: NodeServiceBody })
  @Commands('Let a node get work again', 200, NodeServiceSchema)
  returnNode(
    @Caller() asker: Asker,
    @IdempotencyKey() key: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const command = commandOf(id, body);
    const subject = 'hf.cmd.nodes.return';
    return commanded(this.services, { subject, asker, key, body: command }, reply);
  }
}

const commandOf = (id: string, body: unknown): object => {
  const { id: nodeId } = checked(NameQuery, { id });
  checked(NodeServiceBody, body);
  return { ...(body as object), nodeId };
};
