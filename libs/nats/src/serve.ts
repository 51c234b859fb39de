import type { Msg, Subscription } from '@nats-io/transport-node';
import type { NatsLink } from './connection.js';
import { isInbox } from './names.js';
import { parseRequest, Unreadable, type Problem, type Reply } from './reply.js';

/** What a handler learns of a request beside its data. */
export interface RequestInfo {
  readonly subject: string;
  readonly tokens: readonly string[];
  /** A header's value; undefined when it is absent or empty. Names are compared without regard to case. */
  header(name: string): string | undefined;
}

export interface ServeOptions {
  /** Replicas of one service share a queue group: each request goes to one of them. */
  readonly queue?: string;
  /** Turns what a handler threw into a reply; undefined for what it does not know. */
  readonly toProblem?: (error: unknown) => Problem | undefined;
  /** Told of every error that `toProblem` does not know, with the subject that it came from. */
  readonly onUnexpected: (error: unknown, subject: string) => void;
  /** How many requests are handled at a time; more are answered `overloaded`. Default {@link IN_FLIGHT_MAX}. */
  readonly inFlightMax?: number;
}

/** Source: a request in flight holds at most its 512 KiB body, so 256 of them stay below 128 MiB. */
export const IN_FLIGHT_MAX = 256;

export type Handler = (data: unknown, request: RequestInfo) => Promise<unknown>;

const OVERLOADED: Problem = {
  code: 'overloaded',
  message: 'too many requests are being handled; try again',
  retryable: true,
};
const INTERNAL: Problem = {
  code: 'internal',
  message: 'something went wrong here; what was asked may or may not have happened',
  retryable: true,
};

/** Answers requests on subjects: every one of them, also those that can't be read. */
export class RequestServer {
  private readonly subscriptions: Subscription[] = [];
  private readonly inFlight = new Set<Promise<void>>();

  constructor(
    private readonly link: NatsLink,
    private readonly options: ServeOptions,
  ) {}

  /** @param subject may hold wildcards. */
  serve(subject: string, handler: Handler): void {
    const { queue } = this.options;
    const callback = (error: Error | null, message: Msg): void => {
      if (error) this.options.onUnexpected(error, subject);
      else this.take(message, handler);
    };
    this.subscriptions.push(
      this.link.connection.subscribe(
        subject,
        queue === undefined ? { callback } : { callback, queue },
      ),
    );
  }

  /** Resolves when the broker knows every subscription: from then on no request goes unheard. */
  async ready(): Promise<void> {
    await this.link.connection.flush();
  }

  /** Takes no new requests and finishes those in flight; what arrived before still gets its answer. */
  async close(): Promise<void> {
    const taken = this.subscriptions.splice(0);
    if (this.link.isConnected) await Promise.allSettled(taken.map((one) => one.drain()));
    else for (const one of taken) one.unsubscribe();
    await Promise.allSettled([...this.inFlight]);
    if (this.link.isConnected) await this.link.connection.flush();
  }

  private take(message: Msg, handler: Handler): void {
    // Nobody waits in an inbox, so nobody learns of the outcome: such a message is not a request.
    if (message.reply === undefined || !isInbox(message.reply)) return;
    if (this.inFlight.size >= (this.options.inFlightMax ?? IN_FLIGHT_MAX))
      return respond(message, { error: OVERLOADED });
    const handling = this.answer(message, handler).finally(() => this.inFlight.delete(handling));
    this.inFlight.add(handling);
  }

  private async answer(message: Msg, handler: Handler): Promise<void> {
    respond(message, await this.replyTo(message, handler));
  }

  private async replyTo(message: Msg, handler: Handler): Promise<Reply> {
    try {
      const value = await handler(parseRequest(message.data), infoOf(message));
      return { ok: value ?? null };
    } catch (error) {
      if (error instanceof Unreadable) return { error: error.problem };
      const problem = this.options.toProblem?.(error);
      if (problem) return { error: problem };
      this.options.onUnexpected(error, message.subject);
      return { error: INTERNAL };
    }
  }
}

/** Answers the questions that services put to one node. */
export const serveAsks = async (
  link: NatsLink,
  subject: string,
  handler: Handler,
  options: ServeOptions,
): Promise<RequestServer> => {
  const server = new RequestServer(link, options);
  server.serve(subject, handler);
  await server.ready();
  return server;
};

const infoOf = (message: Msg): RequestInfo => ({
  subject: message.subject,
  tokens: message.subject.split('.'),
  header: (name) => headerOf(message, name),
});

const headerOf = (message: Msg, name: string): string | undefined => {
  const wanted = name.toLowerCase();
  const key = message.headers?.keys().find((one) => one.toLowerCase() === wanted);
  const value = key === undefined ? undefined : message.headers?.get(key);
  return value === '' ? undefined : value;
};

/** The requester may be gone, or the answer too large for the broker: neither is worth this process. */
const respond = (message: Msg, reply: Reply): void => {
  try {
    message.respond(new TextEncoder().encode(JSON.stringify(reply)));
  } catch {
    if ('ok' in reply)
      respond(message, { error: { ...INTERNAL, message: 'the answer is too large' } });
  }
};
