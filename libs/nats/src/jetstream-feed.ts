import { jetstream, type Consumer, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { StreamDiverged, type Commit, type EventFeed, type Revision } from '#event-store';
import { BatchBuffer } from './batch-buffer.js';
import { decodeCommit } from './codec.js';
import type { NatsLink } from './connection.js';
import { sleep } from './patience.js';
import { STREAM } from './names.js';

export interface FeedOptions {
  /** Told of what went wrong and is tried again. */
  readonly onProblem?: (problem: unknown) => void;
  /** Told of the last commit of each batch, such as a {@link StreamGuard}. */
  readonly onSeen?: (revision: Revision, bodyHash: string) => void;
}

/** How far the feed fetches ahead of its reader, in messages; the largest ones fill 192 MiB. */
const FETCH_AHEAD = 256;
/** It asks for more when so few of them are left: each question is a write, and a quarter comes well before the rest is read. */
const FETCH_MORE_BELOW = FETCH_AHEAD / 4;
/** How long a pull waits at the broker, and how often it shows that it is alive. Milliseconds. */
const PULL = { expiresMs: 5_000, heartbeatMs: 1_000 };
/** How long one question to the broker may take. Milliseconds. */
const REQUEST_TIMEOUT_MS = 2_000;
/** How long the broker keeps the consumer of a feed that went away. Milliseconds. */
const ABANDONED_MS = 30_000;

/** The stream in its order, through an ordered consumer that is made anew after every break, at the next commit. */
export class JetStreamEventFeed implements EventFeed {
  private readonly onProblem: (problem: unknown) => void;

  constructor(
    private readonly link: NatsLink,
    private readonly options: FeedOptions = {},
  ) {
    this.onProblem = options.onProblem ?? (() => undefined);
  }

  /** @throws StreamDiverged a commit is missing from the stream, or can't be read. */
  async *follow(options: Parameters<EventFeed['follow']>[0]): AsyncGenerator<readonly Commit[]> {
    const { aggregates, signal } = options;
    const wants = (commit: Commit): boolean => aggregates?.includes(commit.ref.aggregate) ?? true;
    const [only, ...others] = aggregates ?? [];
    const filter = only !== undefined && others.length === 0 ? `hf.ev.${only}.*.*` : undefined;
    let position = options.after;
    for (let failures = 0; !signal.aborted;) {
      const opened = new AbortController();
      try {
        for await (const batch of this.batches(position, filter, options, opened.signal)) {
          if (filter === undefined) checkNoGap(position, batch);
          const all = batch.map(toCommit);
          const commits = all.filter(wants);
          const last = all.at(-1);
          if (last) this.options.onSeen?.(last.revision, last.bodyHash);
          position = batch.at(-1)?.seq ?? position;
          failures = 0;
          if (commits.length > 0) yield commits;
          if (signal.aborted) return;
        }
      } catch (error) {
        if (error instanceof StreamDiverged) throw error;
        this.onProblem(error);
        failures += 1;
      } finally {
        opened.abort();
      }
      await sleep(Math.min(20 * 2 ** failures, 1_000), signal);
    }
  }

  /** Batches from one ordered consumer; ends when the consumer, the connection or the reader does. */
  private async *batches(
    after: Revision,
    filter: string | undefined,
    { batchMax, lingerMs, signal }: { batchMax: number; lingerMs: number; signal: AbortSignal },
    closed: AbortSignal,
  ): AsyncGenerator<readonly JsMsg[]> {
    const consumer = await this.open(after, filter);
    const messages = await consumer.consume({
      max_messages: FETCH_AHEAD,
      threshold_messages: FETCH_MORE_BELOW,
      expires: PULL.expiresMs,
      idle_heartbeat: PULL.heartbeatMs,
    });
    const stop = (): void => messages.stop();
    const forget = this.link.onReconnect(stop);
    signal.addEventListener('abort', stop);
    closed.addEventListener('abort', stop);
    const buffer = new BatchBuffer<JsMsg>(batchMax);
    const pumped = pump(messages, buffer);
    pumped.catch(this.onProblem); // Awaited below, unless the reader left before.
    try {
      for (;;) {
        const batch = await buffer.take(batchMax, lingerMs);
        if (batch.length === 0) break;
        yield batch;
      }
      await pumped;
    } finally {
      stop();
      buffer.end();
      forget();
      signal.removeEventListener('abort', stop);
    }
  }

  private async open(after: Revision, filter: string | undefined): Promise<Consumer> {
    await this.link.whenConnected(ABANDONED_MS);
    return jetstream(this.link.connection, { timeout: REQUEST_TIMEOUT_MS }).consumers.get(
      STREAM.events,
      {
        opt_start_seq: after + 1,
        inactive_threshold: ABANDONED_MS,
        ...(filter === undefined ? {} : { filter_subjects: filter }),
      },
    );
  }
}

const pump = async (messages: ConsumerMessages, buffer: BatchBuffer<JsMsg>): Promise<void> => {
  try {
    for await (const message of messages) await buffer.put(message);
  } finally {
    buffer.end();
  }
};

/** The stream forgets nothing, so its sequences have no holes: one would be a lost commit. */
const checkNoGap = (position: Revision, batch: readonly JsMsg[]): void => {
  let previous = position;
  for (const { seq } of batch) {
    if (seq !== previous + 1)
      throw new StreamDiverged(`${STREAM.events} continues with ${seq} after ${previous}`);
    previous = seq;
  }
};

const toCommit = (message: JsMsg): Commit =>
  decodeCommit({
    subject: message.subject,
    sequence: message.seq,
    headers: message.headers ?? headers(),
    data: message.data,
    storedAt: message.time.getTime(),
  });
