import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger, Metrics } from '#platform';
import type { RequestTimes } from '../health/request-times.js';
import { wantsEvents } from '../streams/last-event-id.js';
import { requestLine } from './request-line.js';

/** Counts, times and logs every request: those that were not done with the reason, at a level that is on by default. */
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
    const line = requestLine(request, reply);
    const { route, status } = line;
    requests.inc({ route, method: request.method, status });
    seconds.observe({ route }, reply.elapsedTime / MS_PER_SECOND);
    if (route.startsWith('/v1/') && !isStream(request, route))
      times.note(`${request.method} ${route}`, reply.elapsedTime);
    if (reply.statusCode >= 500) logger.warn(line, 'request failed');
    else if (reply.statusCode >= 400) logger.info(line, 'request refused');
    else logger.debug(line, 'request answered');
    done();
  });
};

/** A stream lasts as long as somebody listens: that is no time to answer. */
const isStream = (request: FastifyRequest, route: string): boolean =>
  route === '/v1/changes' || wantsEvents(request);

const MS_PER_SECOND = 1_000;
