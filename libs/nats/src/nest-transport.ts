import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { firstValueFrom, isObservable, throwError, type Observable } from 'rxjs';
import { bug } from '#kernel';
import { tracing, type SpanInfo } from '#tracing';
import type { NatsLink } from './connection.js';
import type { Problem } from './reply.js';
import { RequestServer, type RequestInfo } from './serve.js';

/** What a handler may ask for with `@Ctx()`: where the request came in, and its headers. */
export class NatsRequestContext extends BaseRpcContext<[RequestInfo]> {
  constructor(private readonly request: RequestInfo) {
    super([request]);
  }

  get subject(): string {
    return this.request.subject;
  }

  /** The subject's tokens: `hf.cmd.runs.claim.<workspace>.<node>` has the node at 5. */
  get tokens(): readonly string[] {
    return this.request.tokens;
  }

  /** A header's value; undefined when it is absent or empty. */
  get(header: string): string | undefined {
    return this.request.header(header);
  }
}

/**
 * Hands errors of handlers to the transport as they are. Without it Nest replaces all but its own by a plain text.
 *
 * Every microservice with a {@link HoldfastNatsServer} needs it: `microservice.useGlobalFilters(new UnchangedErrors())`.
 */
@Catch()
export class UnchangedErrors implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

export interface NatsServerOptions {
  readonly link: NatsLink;
  /** The queue group that all replicas of the service share: the service's name. */
  readonly service: string;
  /** Turns what a handler threw into a reply; undefined for what it does not know, which is answered `internal`. */
  readonly toProblem: (error: unknown) => Problem | undefined;
  /** Told of every error that `toProblem` does not know. Logged when left out. */
  readonly onUnexpected?: (error: unknown, subject: string) => void;
  readonly inFlightMax?: number;
}

/**
 * Serves Nest's message handlers over plain request and reply: JSON in, `{ok}` or `{error}` out.
 *
 * The pattern of `@MessagePattern('hf.cmd.runs.claim.*.*')` is the subject. The connection belongs to the caller.
 */
export class HoldfastNatsServer extends Server implements CustomTransportStrategy {
  private server: RequestServer | undefined;

  constructor(private readonly options: NatsServerOptions) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    const { link, service, toProblem, inFlightMax } = this.options;
    const server = new RequestServer(link, {
      queue: service,
      toProblem,
      onUnexpected: this.options.onUnexpected ?? this.logUnexpected.bind(this),
      ...(inFlightMax === undefined ? {} : { inFlightMax }),
    });
    this.server = server;
    for (const [pattern, handler] of this.messageHandlers)
      server.serve(pattern, (data, request) =>
        tracing.within(spanOf(request), async () =>
          settled(await handler(data, new NatsRequestContext(request))).catch(unmasked),
        ),
      );
    server.ready().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await this.server?.close();
  }

  on(): never {
    throw new Error('this transport emits no events of its own');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's signature
  unwrap<T>(): T {
    return this.options.link as T;
  }

  private logUnexpected(error: unknown, subject: string): void {
    this.logger.error(
      `unexpected error while answering ${subject}`,
      error instanceof Error ? error.stack : String(error),
    );
  }
}

/** Part of the asker's trace; a request that belongs to none begins none. */
const spanOf = (request: RequestInfo): SpanInfo => {
  const name = request.tokens.slice(2, 4).join('.'); // Without the node that speaks.
  return {
    name,
    kind: 'server',
    parent: request.header('traceparent'),
    facts: { 'holdfast.request': name },
  };
};

/** Nest wraps some results, and every error, in streams. */
const settled = async (result: unknown): Promise<unknown> =>
  isObservable(result) ? firstValueFrom(result, { defaultValue: null }) : result;

/** What Nest makes of an error that no filter kept: its cause is lost, which is a mistake in how the service starts. */
const unmasked = (error: unknown): never => {
  if (error instanceof Error) throw error;
  throw bug(`a handler's error was replaced by Nest; is the filter UnchangedErrors missing?`);
};
