import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ErrorAnswer, ErrorCode, ThreadView, TurnLine, TurnView } from '../protocol.js';

/** No connection, or one that broke. Whether the runtime took the request is not known. */
export class RuntimeUnreachable extends Error {
  override readonly name = 'RuntimeUnreachable';
}

/** The runtime answered, and did not do it. */
export class RuntimeRefused extends Error {
  override readonly name = 'RuntimeRefused';
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** How long a short question may take. Unit: milliseconds. The runtime answers from memory and disk; 10 s means that it hangs. */
const ANSWER_MAX_MS = 10_000;

/** Speaks to the sample runtime. */
export class RuntimeClient {
  constructor(
    private readonly socketPath: string,
    /** Ends every connection. */
    private readonly signal: AbortSignal,
  ) {}

  async createThread(): Promise<string> {
    return (await this.#ask<{ thread: string }>('POST', '/threads')).thread;
  }

  /** @throws RuntimeRefused `active_writer` while another process works in the thread; `no_such_thread`. */
  async resume(thread: string): Promise<void> {
    await this.#ask('POST', `/threads/${thread}/resume`);
  }

  view(thread: string): Promise<ThreadView> {
    return this.#ask('GET', `/threads/${thread}`);
  }

  /** @throws RuntimeRefused `not_supported` when the runtime can't look by the client's id. */
  async find(clientId: string): Promise<readonly TurnView[]> {
    const path = `/turns?clientId=${encodeURIComponent(clientId)}`;
    return (await this.#ask<{ turns: readonly TurnView[] }>('GET', path)).turns;
  }

  async interrupt(thread: string, turn: string): Promise<void> {
    await this.#ask('POST', `/threads/${thread}/turns/${turn}/interrupt`);
  }

  begin(thread: string, clientId: string, prompt: string): AsyncIterable<TurnLine> {
    return this.#lines('POST', `/threads/${thread}/turns`, { clientId, prompt });
  }

  follow(thread: string, turn: string): AsyncIterable<TurnLine> {
    return this.#lines('GET', `/threads/${thread}/turns/${turn}/events`);
  }

  async #ask<Answer>(method: string, path: string): Promise<Answer> {
    const limit = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MAX_MS)]);
    const response = await this.#send(method, path, undefined, limit);
    return JSON.parse(await broken(text(response))) as Answer;
  }

  async *#lines(method: string, path: string, body?: unknown): AsyncIterable<TurnLine> {
    const response = await this.#send(method, path, body, this.signal);
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = (await broken(lines.next())) as IteratorResult<string, undefined>;
      if (done === true) return;
      yield JSON.parse(value) as TurnLine;
    }
  }

  async #send(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const response = await broken(
      new Promise<IncomingMessage>((resolve, reject) => {
        const { socketPath } = this;
        const headers = { 'content-type': 'application/json' };
        const sent = request({ socketPath, method, path, headers, agent: false, signal }, resolve);
        sent.once('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    );
    if (response.statusCode === 200) return response;
    const { error } = JSON.parse(await broken(text(response))) as ErrorAnswer;
    throw new RuntimeRefused(error.code, error.message);
  }
}

/** Whatever goes wrong below JSON is a connection that broke. */
const broken = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (cause) {
    throw new RuntimeUnreachable('the runtime can not be reached', { cause });
  }
};
