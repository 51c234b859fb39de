import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger, Metrics } from '#platform';
import type { RequestTimes } from '../health/request-times.js';
import { wantsEvents } from '../streams/last-event-id.js';

/** Counts and times every request; logs the faulty ones. No address, header or body is logged: they may hold secrets. */
export const observeRequests = (
  instance: FastifyInstance,
  metrics: Metrics,
  times: RequestTimes,
  logger: Logger,
): void => {
  const requests = metrics.counter('http_requests_total', 'Answered HTTP requests', [
    'route',
    'method',
    'status',
  ]);
  const seconds = metrics.seconds('http_request_seconds', 'Time to answer HTTP requests', [
    'route',
  ]);
  instance.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    const status = String(reply.statusCode);
    requests.inc({ route, method: request.method, status });
    seconds.observe({ route }, reply.elapsedTime / MS_PER_SECOND);
    if (route.startsWith('/v1/') && !isStream(request, route))
      times.note(`${request.method} ${route}`, reply.elapsedTime);
    const line = { requestId: request.id, method: request.method, route, status };
    if (reply.statusCode >= 500) logger.warn(line, 'request failed');
    else logger.debug(line, 'request answered');
    done();
  });
};

/** A stream lasts as long as somebody listens: that is no time to answer. */
const isStream = (request: FastifyRequest, route: string): boolean =>
  route === '/v1/changes' || wantsEvents(request);

const MS_PER_SECOND = 1_000;
