import { Inject, Injectable } from '@nestjs/common';
import type { Found, ReadSideSystemView, SystemView } from '#contracts';
import type { Answer } from '#nats';
import type { Asker } from '../http/caller.js';
import { ServiceRefusal } from '../http/problem.error.js';
import { headersOf } from '../upstream/service.client.js';
import { UPSTREAM, type Upstream } from '../upstream/upstream.js';
import { GatewayReadiness } from './readiness.js';
import { RequestTimes } from './request-times.js';

/** How long the read side is waited for, ms: it gives up on each of its own parts after 1.5 s. */
const READ_SIDE_MAX_MS = 2_500;

/**
 * What is slow, and who does what: what the read side sees, and what this gateway knows by itself. What can't be looked at
 * is shown as that. It is answered also while the read side is away, when nobody can say whose token it is: what is left
 * then is no more than `/readyz` and `/metrics` tell everybody.
 */
@Injectable()
export class SystemLook {
  constructor(
    @Inject(UPSTREAM) private readonly upstream: Upstream,
    @Inject(GatewayReadiness) private readonly readiness: GatewayReadiness,
    @Inject(RequestTimes) private readonly times: RequestTimes,
  ) {}

  /** @throws ServiceRefusal when the caller may not read. */
  async look(asker: Asker): Promise<SystemView> {
    const [readSide, readiness] = await Promise.all([this.readSide(asker), this.readiness.look()]);
    const at = new Date().toISOString();
    return { ...readSide, at, readiness, requests: this.times.look() };
  }

  private async readSide(asker: Asker): Promise<ReadSideSystemView> {
    const options = { headers: headersOf(asker), timeoutMs: READ_SIDE_MAX_MS };
    const answer = await this.upstream.request<ReadSideSystemView>(
      'hf.qry.system.get',
      {},
      options,
    );
    return answer.kind === 'answer' ? answer.value : unseen(whyNot(answer));
  }
}

const whyNot = (answer: Exclude<Answer, { readonly kind: 'answer' }>): string => {
  switch (answer.kind) {
    case 'refused':
      if (!answer.error.retryable) throw ServiceRefusal.of(answer.error);
      return answer.error.message;
    case 'not-delivered':
      return 'the service for reading is away';
    case 'no-answer':
      return 'the service for reading did not answer in time';
  }
};

const unseen = (why: string): ReadSideSystemView => {
  const part: Found<never> = { value: null, why };
  return {
    windows: part,
    projections: part,
    holders: part,
    sagas: part,
    nodes: part,
    broker: part,
    database: part,
    oldestRuns: part,
  };
};
