import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { METRICS, type Metrics } from '#platform';
import type { FastifyReply } from 'fastify';
import { GatewayReadiness } from '../health/readiness.js';
import { OpenApi } from '../openapi/openapi.js';
import { ReadinessSchema } from '../openapi/readiness.schema.js';

/** For whoever runs the gateway, and for whoever wants to know what it offers. Needs no token, tells nothing secret. */
@Controller()
@ApiTags('operation')
export class HealthController {
  constructor(
    @Inject(GatewayReadiness) private readonly readiness: GatewayReadiness,
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(OpenApi) private readonly openApi: OpenApi,
  ) {}

  @Get('livez')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Whether the process lives' })
  livez(): string {
    return 'ok\n';
  }

  @Get('readyz')
  @ApiOperation({
    summary: 'Each part that is needed, the durability in force, the projection lag',
  })
  @ApiResponse({ status: 200, type: ReadinessSchema, description: 'Everything is there' })
  @ApiResponse({ status: 503, type: ReadinessSchema, description: 'Something is not' })
  async readyz(@Res() reply: FastifyReply): Promise<void> {
    const view = await this.readiness.look();
    await reply
      .status(view.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(view);
  }

  @Get('metrics')
  @ApiOperation({ summary: 'Metrics, as Prometheus reads them' })
  async metricsText(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.metrics.exposition();
    await reply.type(contentType).header('cache-control', 'no-store').send(text);
  }

  @Get('openapi.json')
  @ApiOperation({ summary: 'This description' })
  description(): object {
    return this.openApi.document;
  }
}
