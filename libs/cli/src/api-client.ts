import type { Problem } from '#contracts';
import { EXIT, VerbFailed } from './exit-codes.js';
import { pause, type Io } from './io.js';
import { REMEDIES } from './remedies.js';
import { readServerEvents, type ServerEvent } from './server-events.js';
import type { Server } from './server.js';

/** An answer of the server, with what its headers say about it. */
export interface Reply<Value> {
  readonly value: Value;
  /** The key had been used before: this is what the first request did. */
  readonly replayed: boolean;
}

/** One attempt's end. `unreachable` proves that nothing arrived; `unanswered` proves nothing. */
type Attempt<Value> =
  | { readonly kind: 'answered'; readonly reply: Reply<Value> }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'unanswered'; readonly cause: unknown };

/**
 * Speaks HTTP to the gateway. Every request has a time limit.
 *
 * A command is repeated under the same key until it is answered or patience ends: the key makes that safe. A query is
 * repeated because it changes nothing.
 */
export class ApiClient {
  constructor(
    private readonly server: Server,
    private readonly io: Io,
  ) {}

  /** @throws VerbFailed with the server's problem, or saying that it can't be reached. */
  async get<Value>(path: string): Promise<Value> {
    const { value } = await this.persist<Value>('GET', path, {}, undefined);
    return value;
  }

  /**
   * Sends a command under `key`, again and again with the same key while its answer is lost.
   *
   * @throws VerbFailed exit code 3 when it may have been accepted and nobody could be asked; else 1 or 2.
   */
  async command<Value>(path: string, body: object, key: string): Promise<Reply<Value>> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return this.persist<Value>('POST', path, headers, JSON.stringify(body), key);
  }

  /** One attempt at a route outside the API, whatever its status. Undefined when the server can't be reached. */
  async probe(path: string): Promise<{ status: number; text: string } | undefined> {
    try {
      const response = await fetch(this.server.url + path, { signal: this.limit() });
      return { status: response.status, text: await response.text() };
    } catch (cause) {
      if (isUnreachable(cause) || isCutOff(cause)) return undefined;
      throw cause;
    }
  }

  /**
   * Server-sent events from one connection; ends when the server or `signal` ends it. The caller reconnects with the id
   * of the last event that it has seen.
   *
   * @throws VerbFailed the server refused. An interrupted connection just ends the stream.
   */
  async *events(
    path: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    const headers = {
      ...this.headers(),
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    try {
      const response = await fetch(this.server.url + path, { headers, signal });
      if (!response.ok) {
        const problem = await problemOf(response);
        if (problem.retryable) return;
        throw refused(problem);
      }
      if (response.body !== null) yield* readServerEvents(response.body);
    } catch (cause) {
      if (isUnreachable(cause) || isCutOff(cause)) return;
      throw cause;
    }
  }

  private async persist<Value>(
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    key?: string,
  ): Promise<Reply<Value>> {
    const { patience, interrupted } = this.io;
    const deadline = performance.now() + patience.retryForMs;
    let pauseMs = patience.pauseMs;
    let mayHaveArrived = false;
    for (let attempts = 1; ; attempts++) {
      const attempt = await this.attempt<Value>(method, path, headers, body);
      if (attempt.kind === 'answered') return attempt.reply;
      mayHaveArrived ||= key !== undefined && leavesDoubt(attempt);
      const isFinal = attempt.kind === 'problem' && !isWorthWaiting(attempt.problem);
      if (isFinal || interrupted.aborted || performance.now() + pauseMs > deadline)
        throw failureOf(attempt, this.server.url, mayHaveArrived ? key : undefined);
      if (attempts === 1) this.io.err.write(`${reasonOf(attempt)}; trying again …\n`);
      await pause(pauseMs, interrupted);
      pauseMs = Math.min(pauseMs * 2, patience.pauseMaxMs);
    }
  }

  private async attempt<Value>(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<Attempt<Value>> {
    try {
      const response = await fetch(this.server.url + path, {
        method,
        headers: { ...this.headers(), ...headers },
        ...(body === undefined ? {} : { body }),
        signal: this.limit(),
      });
      if (!response.ok) return { kind: 'problem', problem: await problemOf(response) };
      const value = (await jsonOf(response, this.server.url)) as Value;
      const replayed = response.headers.get('idempotency-replayed') === 'true';
      return { kind: 'answered', reply: { value, replayed } };
    } catch (cause) {
      if (isUnreachable(cause)) return { kind: 'unreachable', cause };
      if (isCutOff(cause)) return { kind: 'unanswered', cause };
      throw cause;
    }
  }

  private headers(): Record<string, string> {
    const { token } = this.server;
    if (token === undefined)
      throw new VerbFailed(EXIT.usage, 'no token: the server would not know who asks', {
        remedies: [
          'Set HOLDFAST_TOKEN, or run this where the local stack keeps its state (.holdfast, HOLDFAST_HOME).',
          'No stack yet? `npm start` makes one, with a token for an operator and one for agents.',
        ],
      });
    return { authorization: `Bearer ${token}`, accept: 'application/json' };
  }

  private limit(): AbortSignal {
    return AbortSignal.any([this.io.interrupted, AbortSignal.timeout(this.io.patience.requestMs)]);
  }
}

/** @throws VerbFailed whoever answered is no Holdfast. */
const jsonOf = async (response: Response, url: string): Promise<unknown> => {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, `what answers at ${url} is not a Holdfast server`, {
      cause,
      remedies: ['Name another one with --url or HOLDFAST_URL.'],
    });
  }
};

/** Refusals that only pass when somebody sees to a node: whoever asked hears of them at once. */
const OF_A_NODE: ReadonlySet<string> = new Set(['node_offline', 'node_not_ready']);
const isWorthWaiting = ({ retryable, code }: Problem): boolean => retryable && !OF_A_NODE.has(code);

/** Answers that say that nothing has left, although their status alone would leave it open. */
const NOTHING_LEFT: ReadonlySet<string> = new Set(['service_unavailable', 'node_not_ready']);

/** After this attempt the command may have been accepted. */
const leavesDoubt = (attempt: Attempt<unknown>): boolean =>
  attempt.kind === 'unanswered' ||
  (attempt.kind === 'problem' &&
    attempt.problem.status >= 500 &&
    !NOTHING_LEFT.has(attempt.problem.code));

const reasonOf = (attempt: Exclude<Attempt<unknown>, { kind: 'answered' }>): string => {
  switch (attempt.kind) {
    case 'problem':
      return `${attempt.problem.title} (${attempt.problem.code})`;
    case 'unreachable':
      return 'the server can not be reached';
    case 'unanswered':
      return 'the answer was lost';
  }
};

const failureOf = (
  attempt: Exclude<Attempt<unknown>, { kind: 'answered' }>,
  url: string,
  doubtfulKey: string | undefined,
): VerbFailed => {
  if (doubtfulKey !== undefined)
    return new VerbFailed(EXIT.unknown, `${reasonOf(attempt)}: it may have been accepted, or not`, {
      remedies: [
        `Repeat the same command with --key ${doubtfulKey}: it answers what the first one did, or does it now.`,
      ],
      ...(attempt.kind === 'problem' ? { problem: attempt.problem } : { cause: attempt.cause }),
    });
  switch (attempt.kind) {
    case 'problem':
      return refused(attempt.problem);
    case 'unreachable':
      return new VerbFailed(EXIT.usage, `no server answers at ${url}`, {
        cause: attempt.cause,
        remedies: ['Start one with `npm start`, or name another one with --url or HOLDFAST_URL.'],
      });
    case 'unanswered':
      return new VerbFailed(EXIT.failed, `the server at ${url} did not answer in time`, {
        cause: attempt.cause,
        remedies: ['`holdfast doctor` says which of its parts is not well.'],
      });
  }
};

/** What a refusal means for the reader. */
export const refused = (problem: Problem): VerbFailed => {
  const errors = (problem.errors ?? []).map(
    ({ path, problem: what }) => `${path || '(body)'}: ${what}`,
  );
  if (problem.code === 'unauthenticated')
    return new VerbFailed(EXIT.usage, problem.detail, {
      problem,
      remedies: ['The token is missing, mistyped or revoked. Set HOLDFAST_TOKEN to a valid one.'],
    });
  // What can not be right whatever is there was typed wrongly.
  const exit = problem.status === 400 ? EXIT.usage : EXIT.failed;
  return new VerbFailed(exit, `${problem.detail} (${problem.code})`, {
    problem,
    remedies: [...errors, ...(REMEDIES[problem.code] ?? [])],
  });
};

const problemOf = async (response: Response): Promise<Problem> => {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.code === 'string') return { ...unnamed(response), ...problem };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  return unnamed(response);
};

/** Something between us and the gateway answered, such as a proxy. */
const unnamed = (response: Response): Problem => ({
  type: 'about:blank',
  title: `HTTP ${response.status}`,
  status: response.status,
  code: `http_${response.status}`,
  detail: `HTTP ${response.status} ${response.statusText}`,
  retryable: response.status >= 500,
  requestId: response.headers.get('x-request-id') ?? '',
});

/** Proof that no byte of the request arrived: there was no connection. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const isUnreachable = (error: unknown): boolean =>
  codesOf(error).some((code) => NOT_CONNECTED.has(code));

/** The connection broke (`fetch` says so with a cause), or a time limit passed. */
const isCutOff = (error: unknown): boolean =>
  isNamed(error) &&
  ((error.name === 'TypeError' && error.cause !== undefined) ||
    error.name === 'TimeoutError' ||
    error.name === 'AbortError');

/** `fetch` wraps what happened; a name with several addresses wraps one error for each. */
const codesOf = (error: unknown): string[] => {
  if (!isNamed(error)) return [];
  const own = typeof error.code === 'string' ? [error.code] : [];
  const several = Array.isArray(error.errors) ? error.errors.flatMap(codesOf) : [];
  return [...own, ...several, ...codesOf(error.cause)];
};

interface Named {
  readonly name: string;
  readonly cause?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
}
const isNamed = (error: unknown): error is Named =>
  typeof error === 'object' && error !== null && 'name' in error && typeof error.name === 'string';
