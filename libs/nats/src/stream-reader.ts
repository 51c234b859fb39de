import { JetStreamError, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { InvalidArgumentError, headers, type MsgHdrs } from '@nats-io/transport-node';
import { StoreUnavailable, type Consistency } from '#event-store';
import type { StoredMessage } from './codec.js';
import type { NatsLink } from './connection.js';
import { isPassing } from './publish-answer.js';

/** How one read behaves while the broker restarts or elects: tries again with a growing pause, within a budget. */
export interface ReaderOptions {
  /** How long one request waits for its answer. Milliseconds; default 1,000. */
  readonly requestTimeoutMs?: number;
  /** How long a read is tried for in all. Default 8,000 ms: elections were measured to take up to 7.6 s. */
  readonly budgetMs?: number;
}

/** Single messages of one stream, from its leader or from any replica. */
export class StreamReader {
  private manager: Promise<JetStreamManager> | undefined;

  /**
   * @param mayReadDirect whether the stream lets any replica answer; if not, every read asks the leader.
   */
  constructor(
    private readonly link: NatsLink,
    readonly stream: string,
    private readonly mayReadDirect: boolean,
    private readonly options: ReaderOptions = {},
  ) {}

  /** The last message on a subject, which may hold wildcards. @throws StoreUnavailable */
  async last(subject: string, consistency: Consistency): Promise<StoredMessage | undefined> {
    return this.get({ last_by_subj: subject }, consistency);
  }

  /**
   * The message at a sequence. A replica that lags does not have the newest yet: what it lacks is asked of the leader.
   *
   * @throws StoreUnavailable
   */
  async at(sequence: number, consistency: Consistency): Promise<StoredMessage | undefined> {
    const found = await this.get({ seq: sequence }, consistency);
    if (found || consistency === 'leader' || !this.mayReadDirect) return found;
    return this.get({ seq: sequence }, 'leader');
  }

  /** The first message on a subject at or after a sequence. @throws StoreUnavailable */
  async next(
    subject: string,
    sequence: number,
    consistency: Consistency,
  ): Promise<StoredMessage | undefined> {
    return this.get({ seq: sequence, next_by_subj: subject }, consistency);
  }

  /** The last sequence of the stream (0 = empty). @throws StoreUnavailable */
  async end(): Promise<number> {
    return this.retried(async (manager) => {
      const info = await manager.streams.info(this.stream);
      return info.state.last_seq;
    });
  }

  private async get(
    query: { seq: number } | { last_by_subj: string } | { seq: number; next_by_subj: string },
    consistency: Consistency,
  ): Promise<StoredMessage | undefined> {
    const mayReadDirect = consistency === 'any' && this.mayReadDirect;
    return this.retried(async (manager) => {
      const fromLeader = () => manager.streams.getMessage(this.stream, query);
      // A direct answer carries the message's own headers, which may be such that it can't be read or looks like an error.
      const message = mayReadDirect
        ? await manager.direct.getMessage(this.stream, query).catch(fromLeader)
        : await fromLeader();
      if (message === null) return undefined;
      return {
        subject: message.subject,
        sequence: message.seq,
        headers: headersOf(message),
        data: message.data,
        storedAt: message.time.getTime(),
      };
    });
  }

  private async retried<T>(read: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const deadline = performance.now() + (this.options.budgetMs ?? 8_000);
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.link.whenConnected(deadline - performance.now());
        return await read(await this.ready());
      } catch (cause) {
        if (!isPassing(cause) && !(cause instanceof JetStreamError)) throw unavailable(cause);
        const pauseMs = Math.min(25 * 2 ** attempt, 500);
        if (performance.now() + pauseMs > deadline) throw unavailable(cause);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  private async ready(): Promise<JetStreamManager> {
    this.manager ??= jetstreamManager(this.link.connection, {
      timeout: this.options.requestTimeoutMs ?? 1_000,
      checkAPI: false,
    });
    return this.manager;
  }
}

/** Headers that can't be read are none: whoever needs one finds it missing. */
const headersOf = (message: { readonly header: MsgHdrs }): MsgHdrs => {
  try {
    return message.header;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return headers();
    throw error;
  }
};

const unavailable = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable(
    `the stream can't be read: ${cause instanceof Error ? cause.message : 'unknown'}`,
    { cause },
  );
