import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { acceptKey } from '#contracts/requests';
import { RuleViolation } from '#kernel';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './problem.error.js';
import type { RequestMetadata } from './request-metadata.js';
import { traceOfRequest } from './trace-requests.js';

/** Who asks, as far as the gateway needs to know: the services behind verify the token themselves. */
export interface Asker extends RequestMetadata {
  readonly token: string;
}

/** RFC 6750's `b64token`, bounded: it stands in a header of the request behind. */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i;

const CHALLENGE = { 'www-authenticate': 'Bearer realm="holdfast"' };

/**
 * The bearer token of a request.
 *
 * @throws Refusal `unauthenticated` when there is none, or it can't be one.
 */
export const tokenOf = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) throw unauthenticated('send `Authorization: Bearer <token>`');
  return token;
};

export const unauthenticated = (detail: string): Refusal =>
  new Refusal('unauthenticated', detail, { headers: CHALLENGE });

/** Fills a controller's parameter with who asks. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Asker =>
  askerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export const askerOf = (request: FastifyRequest): Asker => ({
  token: tokenOf(request.headers.authorization),
  requestId: request.id,
  traceparent: traceOfRequest(request),
});

/** Fills a controller's parameter with the idempotency key that a command must have. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) =>
  acceptKey(keyOf(context.switchToHttp().getRequest<FastifyRequest>())),
);

/** Node.js joins a header that was sent twice into what looks like one key: only apart do they tell. */
const keyOf = ({ raw }: FastifyRequest): string | undefined => {
  const keys = raw.headersDistinct['idempotency-key'] ?? [];
  if (keys.length > 1)
    throw new RuleViolation(
      'invalid_idempotency_key',
      {},
      'a request has one Idempotency-Key, and this one has several',
    );
  return keys[0];
};
