import { Inject, Injectable } from '@nestjs/common';
import { METRICS, type Metrics } from '#platform';
import { Refusal } from '../http/problem.error.js';
import type { EventStream } from './event-stream.js';

/**
 * How many streams one gateway holds open, and one token at most. Each holds a socket and up to one chunk of output
 * (88 KiB in base64): 512 of them stay below 64 MiB.
 */
export const STREAMS_MAX = 512;
export const STREAMS_PER_TOKEN_MAX = 64;

/** The open streams: bounded, and closed with a word when the gateway ends. */
@Injectable()
export class StreamRegistry {
  private readonly open = new Map<EventStream, string>();
  private isClosing = false;
  private readonly count;

  constructor(@Inject(METRICS) metrics: Metrics) {
    this.count = metrics.gauge(
      'http_streams_open',
      'Clients that listen to server-sent events',
      [],
    );
  }

  /** @param token counts against its own bound. @throws Refusal when there are too many. */
  admit(token: string): void {
    if (this.isClosing) throw new Refusal('shutting_down', 'connect again: another one takes over');
    const ofToken = [...this.open.values()].filter((one) => one === token).length;
    if (this.open.size >= STREAMS_MAX || ofToken >= STREAMS_PER_TOKEN_MAX)
      throw new Refusal(
        'too_many_streams',
        `${ofToken} are open with this token, ${this.open.size} in all`,
      );
  }

  add(stream: EventStream, token: string): void {
    this.open.set(stream, token);
    this.count.set(this.open.size);
    const forget = (): void => {
      this.open.delete(stream);
      this.count.set(this.open.size);
    };
    stream.ended.addEventListener('abort', forget, { once: true });
    if (this.isClosing) stream.close(CLOSING);
  }

  closeAll(): void {
    this.isClosing = true;
    for (const stream of [...this.open.keys()]) stream.close(CLOSING);
  }
}

const CLOSING = { event: 'closing', data: { reason: 'this gateway is shutting down' } };
