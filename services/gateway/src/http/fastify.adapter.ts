import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#contracts';
import { tokenOf } from './caller.js';
import type { HttpLimits } from './http-limits.js';
import { parseJsonBody } from './json-body.js';
import { Refusal } from './problem.error.js';
import { ofFastify, sendProblem, shownOf } from './problem.filter.js';
import type { GatewayCode } from './problem.table.js';
import { requestIdOf } from './request-metadata.js';
import type { RouteTable } from './route-table.js';

/** Told of what is refused before it is a request to any route: no hook sees it. */
export type OnUnrouted = (problem: Problem) => void;

/** Fastify with bounds on everything that a client can do slowly, in large, or often. */
export const createFastifyAdapter = (
  limits: HttpLimits,
  routes: RouteTable,
  onUnrouted: OnUnrouted,
): FastifyAdapter => {
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    connectionTimeout: limits.silenceMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const shown = shownOf(ofFastify(error) ?? NOT_AN_ADDRESS, request.id);
      onUnrouted(shown.problem);
      sendProblem(reply, shown);
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, onUnrouted),
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: limits.headerBytesMax,
    },
  });
  const instance = adapter.getInstance();
  instance.server.maxConnections = limits.connectionsMax;
  instance.addHook('onRoute', ({ method, url }) => routes.add(method, url));
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  // Before the body is read: who shows no token makes nobody parse anything.
  instance.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 && request.url.startsWith('/v1/')) tokenOf(request.headers.authorization);
    done();
  });
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: limits.bodyBytesMax },
    async (request: FastifyRequest, body: Buffer) =>
      parseJsonBody(request.headers['content-type'], body),
  );
  return adapter;
};

const NOT_AN_ADDRESS = new Refusal('invalid_request', 'the address is not well formed');

/** What Node.js refuses before there is a request: its own codes. */
const BROKEN: Readonly<Record<string, readonly [GatewayCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'send headers and body faster'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'headers have at most 16 KiB'],
};

const refuseConnection = (
  error: Error & { code?: string },
  socket: Socket,
  onUnrouted: OnUnrouted,
): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = BROKEN[error.code ?? ''] ?? ['malformed_http', 'this is not HTTP'];
  const { problem } = shownOf(new Refusal(code, detail), randomUUID());
  onUnrouted(problem);
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
};
