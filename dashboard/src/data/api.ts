import type { Problem } from '../../../libs/contracts/src/views.js';

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

/** One signed-in caller's view of the server. */
export class Api {
  constructor(private readonly token: string) {}

  get<Value>(path: string): Promise<Value> {
    return this.#send<Value>(path, {});
  }

  /**
   * @param key names the command: the same key again can't make it happen twice, so a lost answer is asked for again.
   */
  post<Value>(path: string, body: unknown, key: string): Promise<Value> {
    return this.#send<Value>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  }

  /** Server-sent events of a path, until the signal aborts or the server ends them. */
  async *events(
    path: string,
    lastEventId: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    };
    const response = await this.#fetch(path, { headers, signal });
    if (response.body === null) throw new Unreachable('the stream has no body');
    let rest = '';
    for await (const text of textOf(response.body)) {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const event = parseEvent(part);
        if (event !== null) yield event;
      }
    }
  }

  async #send<Value>(path: string, init: RequestInit): Promise<Value> {
    const response = await this.#fetch(path, init);
    return (await response.json()) as Value;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers };
    let response: Response;
    try {
      response = await fetch(`/v1${path}`, { ...init, headers });
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      throw new Unreachable('the server can’t be reached', { cause });
    }
    if (response.ok) return response;
    const problem = (await response.json().catch(() => null)) as Problem | null;
    if (problem === null) throw new Unreachable(`the server answered ${String(response.status)}`);
    throw new Refused(problem);
  }
}

export interface ServerEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** One event of the stream; null for a comment, which only keeps the connection open. */
export const parseEvent = (text: string): ServerEvent | null => {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const data = fields.get('data');
  if (data === undefined) return null;
  return { id: fields.get('id') ?? null, type: fields.get('event') ?? 'message', data };
};
