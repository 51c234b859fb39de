import { setTimeout as pause } from 'node:timers/promises';
import { AppendFailed } from '#event-store';
import type { Entry } from '#execution/domain';
import type { OutputSink } from '#execution/agent';
import type { OutputWriter } from '#nats';

/** Between two tries to store a chunk, ms; the program's file keeps everything meanwhile. */
const RETRY_MS = 500;

/** Output on its way to the broker: each chunk until it is stored, in order. */
export class NatsOutputSink implements OutputSink {
  constructor(private readonly writer: OutputWriter) {}

  async publish(
    entry: Entry,
    chunk: { readonly offset: number; readonly data: Uint8Array },
    signal: AbortSignal,
  ): Promise<void> {
    const { frame, runId, generation } = entry;
    if (frame === null) return;
    const { workspace, node, journalId } = frame;
    while (!signal.aborted) {
      try {
        await this.writer.write({
          workspace,
          run: runId,
          node,
          generation,
          journal: journalId,
          ...chunk,
        });
        return;
      } catch (error) {
        if (!(error instanceof AppendFailed)) throw error;
        // eslint-disable-next-line holdfast/no-silent-catch -- only an abort ends a pause early, and the loop looks at that.
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
