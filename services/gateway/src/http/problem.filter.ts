import {
  Catch,
  HttpException,
  Inject,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Problem } from '#contracts';
import { RuleViolation } from '#kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD, Dashboard, wantsPage } from '../dashboard/dashboard.js';
import { unauthenticated } from './caller.js';
import { Refusal, ServiceRefusal, type FieldProblem } from './problem.error.js';
import { PROBLEMS, UNKNOWN_CODE, type GatewayCode, type ProblemKind } from './problem.table.js';
import { noteProblem } from './request-line.js';
import { RouteTable } from './route-table.js';
import { REPORT_BUG, type ReportBug } from './report-bug.js';

/** What an error comes to over HTTP. */
export interface ShownProblem {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** The one place where what was thrown becomes an answer. Only a bug is a 500, and says nothing but its request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(RouteTable) private readonly routes: RouteTable,
    @Inject(REPORT_BUG) private readonly reportBug: ReportBug,
    @Inject(DASHBOARD) private readonly dashboard: Dashboard,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (isNotFound(error) && this.dashboard.isBuilt && wantsPage(request)) {
      this.dashboard.send(request.url, request, reply);
      return;
    }
    const known = this.recognise(error, request);
    if (known === undefined) this.reportBug(error, request.id);
    const shown = shownOf(known ?? BUG, request.id);
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy(); // A stream has begun: breaking it off is all that is left to say.
      return;
    }
    sendProblem(reply, shown);
  }

  private recognise(error: unknown, request: FastifyRequest): Refusal | ServiceRefusal | undefined {
    if (error instanceof Refusal || error instanceof ServiceRefusal) return error;
    if (error instanceof RuleViolation) return ServiceRefusal.of(asWire(error));
    if (isNotFound(error)) return this.notRouted(request);
    return ofFastify(error);
  }

  private notRouted(request: FastifyRequest): Refusal {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = this.routes.methodsAt(path);
    if (methods.length === 0) return new Refusal('route_not_found', `nothing is at this address`);
    const allow = methods.join(', ');
    return new Refusal('method_not_allowed', `here are: ${allow}`, { headers: { allow } });
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof HttpException && error.getStatus() === 404;

const BUG = new Refusal('internal', 'this is a fault of the server; its log knows the request id');

const asWire = ({ code, message, details }: RuleViolation) => ({
  code,
  message,
  details,
  retryable: false,
});

/** What Fastify refuses before any route sees it, by its own codes. */
const FASTIFY: Readonly<Record<string, readonly [GatewayCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'a body has at most 512 KiB'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'send `Content-Type: application/json`',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_http', 'the body is not as long as it says'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'the body is empty'],
  FST_ERR_BAD_URL: ['invalid_request', 'the address is not well formed'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'a part of the address is too long'],
};

/** The refusal that an error of Fastify comes to; undefined for any other error. */
export const ofFastify = (error: unknown): Refusal | undefined => {
  // Nest wraps what Fastify throws in an exception of its own, and keeps the original as its cause.
  const original = error instanceof HttpException ? error.cause : error;
  const code = original instanceof Error && 'code' in original ? String(original.code) : '';
  const known = FASTIFY[code];
  return known === undefined ? undefined : new Refusal(known[0], known[1], { cause: error });
};

export const sendProblem = (reply: FastifyReply, { problem, headers }: ShownProblem): void => {
  noteProblem(reply.request, problem);
  // Closing at once would reset the connection of a client that still sends, before it has read why. What it sends is
  // thrown away, for as long as a request may take.
  reply.removeHeader('connection');
  void reply
    .status(problem.status)
    .headers({ ...headers, 'cache-control': 'no-store', 'x-request-id': problem.requestId })
    .type('application/problem+json')
    .send(JSON.stringify(problem));
};

/** The answer to a refusal. */
export const shownOf = (refusal: Refusal | ServiceRefusal, requestId: string): ShownProblem => {
  const kind = kindOf(refusal);
  return {
    problem: problemOf(refusal.code, kind, refusal.detail, requestId, refusal.errors),
    headers: { ...headersOf(refusal), ...(kind.retryable ? { 'retry-after': RETRY_AFTER_S } : {}) },
  };
};

/** What is retryable is so soon: a process that died is started again at once. Seconds. */
const RETRY_AFTER_S = '1';

const kindOf = (refusal: Refusal | ServiceRefusal): ProblemKind => {
  const known = PROBLEMS[refusal.code];
  if (known !== undefined) return known;
  const isRetryable = refusal instanceof ServiceRefusal && refusal.retryable;
  return isRetryable ? UNKNOWN_CODE.retryable : UNKNOWN_CODE.refused;
};

const headersOf = (refusal: Refusal | ServiceRefusal): Readonly<Record<string, string>> => {
  if (refusal instanceof Refusal) return refusal.headers;
  return refusal.code === 'unauthenticated' ? unauthenticated('').headers : {};
};

const problemOf = (
  code: string,
  { status, title, retryable }: ProblemKind,
  detail: string,
  requestId: string,
  errors: readonly FieldProblem[] | undefined,
): Problem => ({
  type: `urn:holdfast:problem:${code}`,
  title,
  status,
  code,
  // A rule that says no more than its name: the name's sentence is for people.
  detail: detail === code ? title : detail,
  retryable,
  requestId,
  ...(errors === undefined ? {} : { errors }),
});
