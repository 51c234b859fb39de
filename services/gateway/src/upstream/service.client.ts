import { Inject, Injectable } from '@nestjs/common';
import type { Answer } from '#nats';
import { tracing } from '#tracing';
import type { Asker } from '../http/caller.js';
import { Refusal, ServiceRefusal } from '../http/problem.error.js';
import { UPSTREAM, UPSTREAM_PATIENCE, type Upstream, type UpstreamPatience } from './upstream.js';

/** What `commands` and `queries` answer, or the reason why not as an error that the filter shows. */
@Injectable()
export class ServiceClient {
  constructor(
    @Inject(UPSTREAM) private readonly upstream: Upstream,
    @Inject(UPSTREAM_PATIENCE) private readonly patience: UpstreamPatience,
  ) {}

  /**
   * Reads. Asked again only when nobody was there: a slow read side is not helped by more questions.
   *
   * @param body the parameters, checked.
   * @throws Refusal or ServiceRefusal
   */
  async query<Value>(subject: string, asker: Asker, body: object): Promise<Value> {
    const options = { headers: headersOf(asker), timeoutMs: this.patience.queryMs };
    const answer = await this.deliver<Value>(subject, body, { ...options, asker, attempt: 1 });
    switch (answer.kind) {
      case 'answer':
        return answer.value;
      case 'refused':
        throw ServiceRefusal.of(answer.error);
      case 'not-delivered':
        throw new Refusal(
          'service_unavailable',
          'the service for reading is away; nothing happened',
        );
      case 'no-answer':
        throw new Refusal('no_answer', 'the service for reading did not answer in time', {
          cause: answer.cause,
        });
    }
  }

  /**
   * Commands, under the caller's key. Repeated under the same key while the answer is lost: the key makes that safe.
   *
   * @param body what the caller sent, as it was sent: `commands` takes its fingerprint.
   * @throws Refusal `service_unavailable` when it certainly did not happen, `no_answer` when that is not known.
   * @throws ServiceRefusal
   */
  async command<Value>(subject: string, asker: Asker, key: string, body: unknown): Promise<Value> {
    const headers = { ...headersOf(asker), 'idempotency-key': key };
    const deadline = performance.now() + this.patience.commandMs;
    let cause: unknown;
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt += 1) {
      const remainingMs = deadline - performance.now();
      if (remainingMs < this.patience.pauseMs) break;
      const timeoutMs = Math.min(this.patience.commandAttemptMs, Math.ceil(remainingMs));
      const answer = await this.deliver<Value>(subject, body, {
        headers,
        timeoutMs,
        asker,
        attempt,
      });
      if (answer.kind === 'answer') return answer.value;
      if (answer.kind === 'refused') throw ServiceRefusal.of(answer.error);
      if (answer.kind === 'not-delivered') break; // It was asked again, for long enough.
      mayHaveHappened = true;
      cause = answer.cause;
    }
    if (!mayHaveHappened)
      throw new Refusal(
        'service_unavailable',
        'the service for commands is away; nothing happened',
      );
    throw new Refusal(
      'no_answer',
      'it may have been accepted, or not; repeating the request with the same Idempotency-Key is safe',
      { cause },
    );
  }

  /** Asks, and asks again while nobody is there. */
  private async deliver<Value>(
    subject: string,
    body: unknown,
    asking: Asking,
  ): Promise<Answer<Value>> {
    const deadline = performance.now() + this.patience.undeliveredMs;
    for (;;) {
      const answer = await this.ask<Value>(subject, body, asking);
      const isLast = performance.now() + this.patience.pauseMs > deadline;
      if (answer.kind !== 'not-delivered' || isLast) return answer;
      await new Promise((resolve) => setTimeout(resolve, this.patience.pauseMs));
    }
  }

  private ask<Value>(
    subject: string,
    body: unknown,
    { asker, attempt, headers, timeoutMs }: Asking,
  ): Promise<Answer<Value>> {
    const name = `request ${subject.replace(/^hf\.(cmd|qry)\./, '')}`;
    const facts = { 'holdfast.request': subject, 'holdfast.attempt': attempt };
    const { traceparent: parent } = asker;
    return tracing.within({ name, kind: 'client', parent, facts }, async (span) => {
      const { traceparent } = span;
      const sent = traceparent === undefined ? headers : { ...headers, traceparent };
      const answer = await this.upstream.request<Value>(subject, body, {
        headers: sent,
        timeoutMs,
      });
      span.note({ 'holdfast.outcome': answer.kind });
      return answer;
    });
  }
}

/** One of several tries of a request. */
interface Asking {
  readonly asker: Asker;
  /** Counts from 1. */
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Who asks, as the services behind are told. */
export const headersOf = ({ token, requestId }: Asker): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'hf-request-id': requestId,
});
