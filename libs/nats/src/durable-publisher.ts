import type { MsgHdrs } from '@nats-io/transport-node';
import { AppendFailed } from '#event-store';
import type { NatsLink } from './connection.js';
import { AnsweredPublisher } from './publish-answer.js';

export interface PublisherOptions {
  /** How long one publish waits for its acknowledgement before the same message is published again. Default 1,000 ms. */
  readonly ackTimeoutMs?: number;
  /** How long a message is tried for in all. Default 8,000 ms: elections were measured to take up to 7.6 s. */
  readonly budgetMs?: number;
}

/** A message with all of its headers: published again, it is the same message. */
export interface DurableMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs;
}

export type Published =
  | { readonly kind: 'written'; readonly sequence: number }
  | { readonly kind: 'duplicate'; readonly sequence: number }
  /** `mayBeOwn`: the message that is last may be this very one, from an attempt whose answer was lost. */
  | { readonly kind: 'wrong-sequence'; readonly mayBeOwn: boolean; readonly cause: unknown };

/** Publishes a message until the broker has said what became of it, for as long as a budget lasts. */
export class DurablePublisher {
  private readonly publisher: AnsweredPublisher;
  private readonly ackTimeoutMs: number;
  readonly budgetMs: number;

  constructor(
    private readonly link: NatsLink,
    options: PublisherOptions = {},
  ) {
    this.publisher = new AnsweredPublisher(link);
    this.ackTimeoutMs = options.ackTimeoutMs ?? 1_000;
    this.budgetMs = options.budgetMs ?? 8_000;
  }

  /**
   * @param deadlineMs on the monotonic clock; `budgetMs` from now when left out.
   * @throws AppendFailed `not-written` or, when an attempt went unanswered, `unknown`.
   */
  async publish(
    { subject, data, headers }: DurableMessage,
    deadlineMs: number = performance.now() + this.budgetMs,
  ): Promise<Published> {
    let unanswered = false;
    for (let attempt = 0; ; attempt += 1) {
      const connected = await this.link.whenConnected(deadlineMs - performance.now());
      if (!connected) throw failed(subject, unanswered, new Error('NATS is not connected'));
      const answer = await this.publisher.publish(subject, data, headers, this.ackTimeoutMs);
      switch (answer.kind) {
        case 'written':
        case 'duplicate':
          return answer;
        case 'wrong-sequence':
          return { kind: answer.kind, mayBeOwn: answer.own || unanswered, cause: answer.cause };
        case 'refused':
          throw failed(subject, unanswered, answer.cause);
        case 'silence':
          unanswered = true;
          break;
        case 'later':
          break;
      }
      const pauseMs = Math.min(10 * 2 ** attempt, 500) * (0.5 + Math.random() / 2);
      if (performance.now() + pauseMs > deadlineMs) throw failed(subject, unanswered, answer.cause);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

const failed = (subject: string, unanswered: boolean, cause: unknown): AppendFailed =>
  new AppendFailed(subject, unanswered ? 'unknown' : 'not-written', { cause });
