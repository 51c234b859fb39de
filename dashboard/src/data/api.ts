import type { Problem } from '../../../libs/contracts/src/views.js';
import { learnServerTime } from './clock.js';
import { readEvents, type ServerEvent } from './server-events.js';

/** The server's refusal, in its own words. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** The server can't be reached, or does not speak as expected. Says nothing about what happened there. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** It may go well when it is tried again: the server is away, or says so itself. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && error.problem.retryable);

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof Refused && error.problem.code === 'unauthenticated';

/** What a token can be (RFC 6750): anything else could not even be sent. */
export const TOKEN = /^[A-Za-z0-9\-._~+/]{1,512}=*$/;

/** How long an answer is waited for, ms. Source: the gateway itself gives up on a command after 10 s. */
const ANSWER_MAX_MS = 15_000;
/** How long a stream may say nothing, ms. Source: it sends a comment every 15 s; two may be late. */
const SILENCE_MAX_MS = 35_000;

/** How to read a stream of events. */
export interface Listening {
  /** Id of the last event that was seen; null for a new listener. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  /** Called when the server has begun to answer. */
  readonly onOpen?: () => void;
}

/** One signed-in caller's view of the server. */
export class Api {
  constructor(private readonly token: string) {}

  /** @throws Refused | Unreachable */
  get<Value>(path: string): Promise<Value> {
    return this.#send<Value>(path, {});
  }

  /**
   * @param key names the command: the same key again can't make it happen twice, so a lost answer is asked for again.
   * @throws Refused | Unreachable
   */
  post<Value>(path: string, body: unknown, key: string): Promise<Value> {
    return this.#send<Value>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  }

  /**
   * Server-sent events of a path, until the signal aborts or the server ends them.
   *
   * @throws Refused | Unreachable also when the stream breaks off or falls silent.
   */
  async *events(path: string, { after, signal, onOpen }: Listening): AsyncGenerator<ServerEvent> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (after !== null) headers['last-event-id'] = after;
    try {
      const response = await this.#fetch(path, {
        headers,
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (response.body === null) throw new Unreachable('the stream has no body');
      onOpen?.();
      yield* readEvents(
        textOf(response.body, () => {
          clearTimeout(timer);
          timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async #send<Value>(path: string, init: RequestInit): Promise<Value> {
    const response = await this.#fetch(path, {
      ...init,
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    try {
      return (await response.json()) as Value;
    } catch (cause) {
      throw new Unreachable('the answer broke off', { cause });
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.token}`);
    let response: Response;
    try {
      response = await fetch(`/v1${path}`, { ...init, headers });
    } catch (cause) {
      throw new Unreachable('the server can’t be reached', { cause });
    }
    learnServerTime(response.headers.get('date'));
    if (response.ok) return response;
    throw await refusalIn(response);
  }
}

/** Something between us and the gateway may have answered, in another format. */
const refusalIn = async (response: Response): Promise<Refused | Unreachable> => {
  try {
    const problem = (await response.json()) as Partial<Problem> | null;
    if (typeof problem?.code === 'string') return new Refused(problem as Problem);
    return new Unreachable(`the server answered ${String(response.status)}`);
  } catch (cause) {
    return new Unreachable(`the server answered ${String(response.status)}`, { cause });
  }
};

async function* textOf(
  body: ReadableStream<Uint8Array>,
  onRead: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onRead();
      yield decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    throw new Unreachable('the connection was lost', { cause });
  } finally {
    // Whoever stops listening lets the connection go; one that is broken already has nothing left to let go.
    void reader.cancel().catch((error: unknown) => error);
  }
}
