import type {
  ClaimAnswer,
  ClaimRequest,
  JoinAnswer,
  JoinRequest,
  ReportAnswer,
  RunReport,
  SpawnClaimRequest,
  SpawnReport,
} from '#contracts';
import type { CommandReply, NodeCommands } from '#execution/agent';
import type { Answer, RequestClient } from '#nats';
import { tracing } from '#tracing';

/** How long one request to the commands service waits; an unanswered one is sent again, ms. */
const REQUEST_TIMEOUT_MS = 3_000;

/** The commands service over NATS; the subject carries who speaks, and the broker checks it. */
export class NatsNodeCommands implements NodeCommands {
  constructor(
    private readonly requests: RequestClient,
    private readonly place: { readonly workspace: string; readonly node: string },
  ) {}

  join(request: JoinRequest): Promise<CommandReply<JoinAnswer>> {
    return this.#send('nodes.join', request);
  }

  leave(request: {
    readonly journalId: string;
    readonly reason: string;
  }): Promise<CommandReply<unknown>> {
    return this.#send('nodes.leave', request);
  }

  claim(request: ClaimRequest, trace?: string): Promise<CommandReply<ClaimAnswer>> {
    return this.#send('runs.claim', request, trace);
  }

  report(report: RunReport, trace?: string): Promise<CommandReply<ReportAnswer>> {
    return this.#send('runs.report', report, trace);
  }

  claimSpawn(request: SpawnClaimRequest, trace?: string): Promise<CommandReply<ClaimAnswer>> {
    return this.#send('spawns.claim', request, trace);
  }

  reportSpawn(report: SpawnReport, trace?: string): Promise<CommandReply<ReportAnswer>> {
    return this.#send('spawns.report', report, trace);
  }

  async #send<Value>(command: string, body: unknown, trace?: string): Promise<CommandReply<Value>> {
    const answer = await this.#request<Value>(command, body, trace);
    switch (answer.kind) {
      case 'answer':
        return { kind: 'answer', value: answer.value };
      case 'refused':
        return answer.error.retryable
          ? { kind: 'no-answer' }
          : { kind: 'refused', code: answer.error.code };
      case 'not-delivered':
      case 'no-answer':
        return { kind: 'no-answer' };
    }
  }

  #request<Value>(
    command: string,
    body: unknown,
    trace: string | undefined,
  ): Promise<Answer<Value>> {
    const { workspace, node } = this.place;
    const subject = `hf.cmd.${command}.${workspace}.${node}`;
    const facts = { 'holdfast.request': command, 'holdfast.node': node };
    const info = { name: `request ${command}`, kind: 'client', parent: trace, facts } as const;
    return tracing.within(info, async (span) => {
      const { traceparent } = span;
      const answer = await this.requests.request<Value>(subject, body, {
        ...(traceparent === undefined ? {} : { headers: { traceparent } }),
        timeoutMs: REQUEST_TIMEOUT_MS,
      });
      span.note({ 'holdfast.outcome': answer.kind });
      return answer;
    });
  }
}
