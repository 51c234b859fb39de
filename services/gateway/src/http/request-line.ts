import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#contracts';
import { tokenHash } from '#platform';
import { tokenOf } from './caller.js';

/** `refusal`: the same request is refused again. `unavailable`: it may succeed later. `fault`: a defect of this system. */
export type ProblemClass = 'refusal' | 'unavailable' | 'fault';

/** What the log says of a request: neither its address, nor a header, nor its body, which may hold a task or a token. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** The pattern, not what stood in it. */
  readonly route: string;
  readonly status: string;
  readonly durationMs: number;
  /** `other`: what stood there may be a token without its scheme, and is not repeated. */
  readonly authScheme: 'none' | 'bearer' | 'other';
  /** The hash under which the stream knows the token, whether or not it is a valid one; null without one. */
  readonly actor: string | null;
  readonly class?: ProblemClass;
  readonly code?: string;
  readonly reason?: string;
}

/** What a request that was not done was answered, until the log has it. */
const problems = new WeakMap<IncomingMessage, Problem>();

export const noteProblem = ({ raw }: FastifyRequest, problem: Problem): void => {
  problems.set(raw, problem);
};

/** A reason is a sentence; a longer one is shortened. */
const REASON_LENGTH_MAX = 300;

/** Of a problem, what the log says. Which fields were wrong is left out: who sends a request names them as it likes. */
export const problemLine = ({ code, detail, retryable }: Problem) => ({
  class: classOf(code, retryable),
  code,
  reason: detail.slice(0, REASON_LENGTH_MAX),
});

export const requestLine = (request: FastifyRequest, reply: FastifyReply): RequestLine => {
  const problem = problems.get(request.raw);
  return {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? '(none)',
    status: String(reply.statusCode),
    durationMs: Math.round(reply.elapsedTime),
    ...identityOf(request.headers.authorization),
    ...(problem === undefined ? {} : problemLine(problem)),
  };
};

const classOf = (code: string, retryable: boolean): ProblemClass => {
  if (code === 'internal') return 'fault';
  return retryable ? 'unavailable' : 'refusal';
};

const identityOf = (
  authorization: string | undefined,
): Pick<RequestLine, 'authScheme' | 'actor'> => {
  if (authorization === undefined) return { authScheme: 'none', actor: null };
  try {
    return { authScheme: 'bearer', actor: tokenHash(tokenOf(authorization)) };
  } catch {
    return { authScheme: 'other', actor: null }; // Whatever it was, it is no token: the request was refused for that.
  }
};
