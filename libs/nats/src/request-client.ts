import { headers, type Msg } from '@nats-io/transport-node';
import type { NatsLink } from './connection.js';
import { isNotDelivered } from './publish-answer.js';
import { isProblem, type Problem } from './reply.js';

/** What a request came to. Only `not-delivered` says that nobody acted on it. */
export type Answer<Value = unknown> =
  | { readonly kind: 'answer'; readonly value: Value }
  | { readonly kind: 'refused'; readonly error: Problem }
  /** Nobody listens there: certainly not acted on. */
  | { readonly kind: 'not-delivered' }
  /** No answer in time, or one that can't be read: it may have been acted on. */
  | { readonly kind: 'no-answer'; readonly cause: unknown };

/** Asks services and nodes by request and reply. Every request has a time limit. */
export class RequestClient {
  constructor(private readonly link: NatsLink) {}

  /**
   * @param body sent as JSON.
   * @param options.timeoutMs how long to wait, 1 to 600,000.
   */
  async request<Value = unknown>(
    subject: string,
    body: unknown,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ): Promise<Answer<Value>> {
    const data = new TextEncoder().encode(JSON.stringify(body));
    return this.requestBytes<Value>(subject, data, options);
  }

  /** The same with a body that is bytes already: passed on as it is, whether it can be read or not. */
  async requestBytes<Value = unknown>(
    subject: string,
    data: Uint8Array,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ): Promise<Answer<Value>> {
    const sent = headers();
    for (const [name, value] of Object.entries(options.headers ?? {})) sent.set(name, value);
    try {
      const reply = await this.link.connection.request(subject, data, {
        timeout: Math.min(Math.max(options.timeoutMs, 1), 600_000),
        headers: sent,
      });
      return readReply<Value>(reply);
    } catch (cause) {
      if (isNotDelivered(cause)) return { kind: 'not-delivered' };
      return { kind: 'no-answer', cause };
    }
  }
}

const readReply = <Value>(reply: Msg): Answer<Value> => {
  const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(reply.data));
  if (typeof parsed === 'object' && parsed !== null) {
    if ('error' in parsed && isProblem(parsed.error))
      return { kind: 'refused', error: parsed.error };
    if ('ok' in parsed) return { kind: 'answer', value: parsed.ok as Value };
  }
  return { kind: 'no-answer', cause: new Error('the reply is neither ok nor an error') };
};
