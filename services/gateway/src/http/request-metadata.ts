import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What travels with a request to the services behind. */
export interface RequestMetadata {
  readonly requestId: string;
  readonly traceparent: string;
}

/** What a caller may choose as a request id: it stands in logs and headers. */
const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;
/** W3C Trace Context, version 00; an all-zero trace or parent means "none". */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's request id where it is fit to be repeated, else a new one. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
};

/** The caller's trace, else a new one that is not sampled. */
export const traceparentOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['traceparent'];
  if (typeof given === 'string' && TRACEPARENT.test(given)) return given;
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
};
