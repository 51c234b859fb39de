import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdQuery, NameQuery, NodeListQuery, PageQuery } from '#contracts/requests';
import { Caller, type Asker } from '../http/caller.js';
import { checked } from '../http/checked.js';
import { IdPath, NamePath, Parameters, Reads } from '../openapi/decorators.js';
import {
  AgentPageSchema,
  AgentSchema,
  CallerSchema,
  NodePageSchema,
  NodeSchema,
  ProjectionPageSchema,
  SessionSchema,
  StopSchema,
} from '../openapi/answers.schema.js';
import { Identities } from '../upstream/identities.js';
import { ServiceClient } from '../upstream/service.client.js';

type Given = Readonly<Record<string, unknown>>;

/** Who and what there is besides runs. */
@Controller('v1')
@ApiTags('directory')
export class DirectoryController {
  constructor(
    @Inject(ServiceClient) private readonly services: ServiceClient,
    @Inject(Identities) private readonly identities: Identities,
  ) {}

  @Get('agents')
  @Parameters(NodeListQuery)
  @Reads('The agents that prompts can be submitted to', AgentPageSchema)
  agents(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.agents.list', asker, checked(NodeListQuery, query));
  }

  @Get('agents/:name')
  @NamePath('name', 'The agent')
  @Reads('One agent', AgentSchema)
  agent(@Caller() asker: Asker, @Param('name') name: string): Promise<object> {
    return this.services.query('hf.qry.agents.get', asker, checked(NameQuery, { id: name }));
  }

  @Get('nodes')
  @Parameters(PageQuery)
  @Reads('The nodes: alive or silent, and how busy', NodePageSchema)
  nodes(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.nodes.list', asker, checked(PageQuery, query));
  }

  @Get('nodes/:id')
  @NamePath('id', 'The node')
  @Reads('One node', NodeSchema)
  node(@Caller() asker: Asker, @Param('id') id: string): Promise<object> {
    return this.services.query('hf.qry.nodes.get', asker, checked(NameQuery, { id }));
  }

  @Get('sessions/:id')
  @IdPath('The session')
  @Reads('One session: its active run, and who waits', SessionSchema)
  session(@Caller() asker: Asker, @Param('id') id: string): Promise<object> {
    return this.services.query('hf.qry.sessions.get', asker, checked(IdQuery, { id }));
  }

  @Get('stops/:id')
  @IdPath('The stop')
  @Reads('What was proven to have stopped', StopSchema)
  stop(@Caller() asker: Asker, @Param('id') id: string): Promise<object> {
    return this.services.query('hf.qry.stops.get', asker, checked(IdQuery, { id }));
  }

  @Get('projections')
  @Parameters(PageQuery)
  @Reads('The read models: their position, and how far they are behind', ProjectionPageSchema)
  projections(@Caller() asker: Asker, @Query() query: Given): Promise<object> {
    return this.services.query('hf.qry.projections.list', asker, checked(PageQuery, query));
  }

  @Get('me')
  @Reads('Whose token this is, and what it may do', CallerSchema)
  me(@Caller() asker: Asker): Promise<object> {
    return this.identities.of(asker);
  }
}
