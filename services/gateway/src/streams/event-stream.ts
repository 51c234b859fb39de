import type { FastifyReply, FastifyRequest } from 'fastify';

/** One server-sent event. */
export interface SentEvent {
  /** What a client sends back as `Last-Event-ID` to go on after this one. */
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

export interface StreamLimits {
  /** How often a silent stream shows that it lives, ms: proxies close connections that are silent for a minute or less. */
  readonly heartbeatMs: number;
  /** How long a client that reads nothing is waited for, ms. It can come back and go on where it was. */
  readonly stalledMs: number;
}
export const DEFAULT_STREAM_LIMITS: StreamLimits = { heartbeatMs: 15_000, stalledMs: 30_000 };

/** What a client should wait before it connects again, ms. */
const RETRY_MS = 1_000;

/** One client that listens. Writes wait for the client; whoever does not read is let go. */
export class EventStream {
  private readonly ending = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly reply: FastifyReply,
    private readonly limits: StreamLimits,
  ) {
    reply.raw.on('close', () => this.finish());
    reply.raw.on('error', () => this.finish());
    this.heartbeat = setInterval(() => void this.write(': still here\n\n'), limits.heartbeatMs);
  }

  /** Takes the connection over from Fastify and sends the headers that an event stream needs. */
  static open(request: FastifyRequest, reply: FastifyReply, limits: StreamLimits): EventStream {
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': request.id,
    });
    const stream = new EventStream(reply, limits);
    void stream.write(`retry: ${RETRY_MS}\n\n`);
    return stream;
  }

  /** Aborted when the client or the gateway has ended the stream. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** Sends an event. Resolves when there is room for another one, or the stream has ended. */
  async send({ id, event, data }: SentEvent): Promise<void> {
    const name = id === undefined ? '' : `id: ${id}\n`;
    await this.write(`${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Says why, and closes. */
  close(last?: SentEvent): void {
    if (this.ended.aborted) return;
    if (last) void this.send(last);
    this.reply.raw.end();
    this.finish();
  }

  private async write(text: string): Promise<void> {
    const { raw } = this.reply;
    if (this.ended.aborted || raw.destroyed) return;
    if (raw.write(text)) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(stalled);
        raw.off('drain', finish);
        this.ended.removeEventListener('abort', finish);
        resolve();
      };
      const stalled = setTimeout(() => raw.destroy(), this.limits.stalledMs);
      raw.once('drain', finish);
      this.ended.addEventListener('abort', finish, { once: true });
    });
  }

  private finish(): void {
    clearInterval(this.heartbeat);
    this.ending.abort();
  }
}
