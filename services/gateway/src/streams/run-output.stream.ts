import { Inject, Injectable } from '@nestjs/common';
import type { OutputView } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asker } from '../http/caller.js';
import { Refusal, ServiceRefusal } from '../http/problem.error.js';
import { ServiceClient } from '../upstream/service.client.js';
import { EventStream } from './event-stream.js';
import { StreamRegistry } from './stream-registry.js';
import { STREAM_PACE, type StreamPace } from './stream-pace.js';

/** Sends a run's output as it is kept: each chunk once, an `end` event when the run is settled and all of it was sent. */
@Injectable()
export class RunOutputStreams {
  constructor(
    @Inject(ServiceClient) private readonly services: ServiceClient,
    @Inject(StreamRegistry) private readonly registry: StreamRegistry,
    @Inject(STREAM_PACE) private readonly pace: StreamPace,
  ) {}

  /**
   * @param after the sequence of the last chunk that the client has; 0 for all of them.
   * @throws Refusal or ServiceRefusal before anything was sent: no such run, not allowed, too many streams.
   */
  async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    asker: Asker,
    from: { readonly id: string; readonly after: number },
  ): Promise<void> {
    this.registry.admit(asker.token);
    let page = await this.read(asker, from.id, from.after);
    const stream = EventStream.open(request, reply, this.pace);
    this.registry.add(stream, asker.token);
    let pauseMs = this.pace.pollMs;
    while (!stream.ended.aborted) {
      for (const chunk of page.items)
        await stream.send({ id: String(chunk.sequence), event: 'chunk', data: chunk });
      if (page.complete) {
        const { missingBytes, truncated } = page;
        stream.close({ event: 'end', data: { missingBytes, truncated } });
        return;
      }
      pauseMs =
        page.items.length > 0 ? this.pace.pollMs : Math.min(pauseMs * 2, this.pace.pollMaxMs);
      if (page.items.length === 0) await this.pace.pause(pauseMs, stream.ended);
      if (stream.ended.aborted) return;
      const next = await this.readOn(asker, from.id, page.next, stream);
      if (next === undefined) return;
      page = next;
    }
  }

  private read(asker: Asker, id: string, after: number): Promise<OutputView> {
    return this.services.query<OutputView>('hf.qry.runs.output', asker, { id, after });
  }

  /** What a read that fails in the middle means: the client should come back, unless it may not read any more. */
  private async readOn(
    asker: Asker,
    id: string,
    after: number,
    stream: EventStream,
  ): Promise<OutputView | undefined> {
    try {
      return await this.read(asker, id, after);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof ServiceRefusal)) throw error;
      stream.close({ event: 'closing', data: { reason: error.detail, code: error.code } });
      return undefined;
    }
  }
}
