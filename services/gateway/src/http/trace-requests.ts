import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { tracing, type OpenSpan } from '#tracing';
import { traceparentOf } from './request-metadata.js';

/** The spans of requests that are being answered. */
const spans = new WeakMap<IncomingMessage, OpenSpan>();

/** What needs no trace: probes, metrics, and the dashboard's own files. */
const TRACED = /^\/v1\//;

/**
 * Opens a span for each request to the interface: here a trace begins, unless the caller brought one. Whoever shows no token
 * makes nobody write one. It says which route was asked, never the address: that may hold anything.
 */
export const traceRequests = (instance: FastifyInstance): void => {
  if (!tracing.isOn) return;
  instance.addHook('onRequest', (request, _reply, done) => {
    const { method, raw, headers } = request;
    const route = request.routeOptions.url ?? '(none)';
    if (TRACED.test(route)) {
      const span = tracing.open({
        name: `${method} ${route}`,
        kind: 'server',
        begins: true,
        parent: traceparentOf(headers),
        facts: { 'http.request.method': method, 'http.route': route },
      });
      spans.set(raw, span);
    }
    done();
  });
  instance.addHook('onResponse', ({ raw }, reply, done) => {
    const span = spans.get(raw);
    span?.note({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode));
    span?.end();
    spans.delete(raw);
    done();
  });
};

/** The trace that a request belongs to: what the gateway records of it, else what its caller sent. */
export const traceOfRequest = (request: {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
}): string | undefined => spans.get(request.raw)?.traceparent ?? traceparentOf(request.headers);
