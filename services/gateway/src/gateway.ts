import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { nestLogger, type Logger } from '#platform';
import { serveDashboard } from './dashboard/dashboard.js';
import { GatewayModule, type GatewayParts } from './gateway.module.js';
import { RequestTimes } from './health/request-times.js';
import { createFastifyAdapter } from './http/fastify.adapter.js';
import type { HttpLimits } from './http/http-limits.js';
import { observeRequests } from './http/observe.js';
import { problemLine } from './http/request-line.js';
import { RouteTable } from './http/route-table.js';
import { traceRequests } from './http/trace-requests.js';
import { OpenApi } from './openapi/openapi.js';
import { StreamRegistry } from './streams/stream-registry.js';

export interface GatewayOptions extends Omit<GatewayParts, 'routes' | 'reportBug' | 'times'> {
  readonly limits: HttpLimits;
  readonly logger: Logger;
}

/** How often connections that have become idle are closed while the gateway ends, ms. */
const SWEEP_MS = 50;

/** The HTTP door: it keeps nothing that another gateway could not take over. */
export class Gateway {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly routes: RouteTable,
  ) {}

  static async create({ limits, logger, ...parts }: GatewayOptions): Promise<Gateway> {
    const routes = new RouteTable();
    const times = new RequestTimes(() => performance.now());
    const adapter = createFastifyAdapter(limits, routes, (problem) =>
      logger.info(
        { requestId: problem.requestId, status: String(problem.status), ...problemLine(problem) },
        'what came is no request to any route',
      ),
    );
    const reportBug = (err: unknown, requestId: string): void =>
      logger.error({ err, requestId }, 'a request met a bug');
    const options = { logger: nestLogger(logger), bodyParser: false, abortOnError: false };
    const app = await NestFactory.create<NestFastifyApplication>(
      GatewayModule.of({ ...parts, routes, times, reportBug }),
      adapter,
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class, and takes any object
      options,
    );
    observeRequests(adapter.getInstance(), parts.metrics, times, logger);
    traceRequests(adapter.getInstance());
    await serveDashboard(app, parts.dashboard);
    app.get(OpenApi).describe(app);
    await app.init();
    await adapter.getInstance().ready();
    return new Gateway(app, routes);
  }

  /** @returns the port that was taken. */
  async listen(port: number, host: string): Promise<number> {
    await this.app.listen(port, host);
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** Takes no new connections, ends the streams with a word, and finishes the requests that it has. */
  async close(): Promise<void> {
    this.app.get(StreamRegistry).closeAll();
    const server = this.app.getHttpServer();
    const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    await this.app.close();
    clearInterval(sweeping);
  }
}
