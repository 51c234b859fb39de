import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseTraceparent } from '#tracing';

/** What travels with a request to the services behind. */
export interface RequestMetadata {
  readonly requestId: string;
  /** The caller's trace, or the one that begins here; undefined when there is none. */
  readonly traceparent: string | undefined;
}

/** What a caller may choose as a request id: it stands in logs and headers. */
const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The caller's request id where it is fit to be repeated, else a new one. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
};

/** The caller's trace, where it is one. */
export const traceparentOf = (headers: IncomingHttpHeaders): string | undefined => {
  const given = headers['traceparent'];
  return typeof given === 'string' && parseTraceparent(given) !== undefined ? given : undefined;
};
