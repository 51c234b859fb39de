import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';
import type { ReadinessBoard } from './readiness.js';
import { writeWhole } from './whole-file.js';

export interface HealthServerOptions {
  /** The interface to listen on. */
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Where the port that was taken is written. */
  readonly portFile: string;
  readonly readiness: ReadinessBoard;
  readonly metrics: Metrics;
}

/** `/livez`, `/readyz` and `/metrics`, on an interface that callers do not reach: for whoever runs the process, not for callers. */
export class HealthServer {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(options: HealthServerOptions): Promise<HealthServer> {
    const server = createServer((request, response) => {
      void answer(request, response, options);
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
    const { port } = server.address() as AddressInfo;
    await writeWhole(options.portFile, `${String(port)}\n`);
    return new HealthServer(server, port);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
  }
}

/** Probes come every few seconds; a connection between two of them is worth nothing. */
const KEEP_ALIVE_MS = 1_000;

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  { readiness, metrics }: HealthServerOptions,
): Promise<void> => {
  const send = (status: number, contentType: string, text: string): void => {
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(text);
  };
  switch (request.url) {
    case '/livez':
      send(200, 'text/plain', 'ok\n');
      return;
    case '/readyz': {
      const looked = await readiness.look();
      send(looked.ready ? 200 : 503, 'application/json', `${JSON.stringify(looked)}\n`);
      return;
    }
    case '/metrics': {
      const { contentType, text } = await metrics.exposition();
      send(200, contentType, text);
      return;
    }
    case undefined:
    default:
      send(404, 'text/plain', 'not found\n');
  }
};
