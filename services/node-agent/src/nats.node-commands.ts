import type {
  ClaimAnswer,
  ClaimRequest,
  JoinAnswer,
  JoinRequest,
  ReportAnswer,
  RunReport,
} from '#contracts';
import type { CommandReply, NodeCommands } from '#execution/agent';
import type { RequestClient } from '#nats';

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

  claim(request: ClaimRequest): Promise<CommandReply<ClaimAnswer>> {
    return this.#send('runs.claim', request);
  }

  report(report: RunReport): Promise<CommandReply<ReportAnswer>> {
    return this.#send('runs.report', report);
  }

  async #send<Value>(command: string, body: unknown): Promise<CommandReply<Value>> {
    const { workspace, node } = this.place;
    const subject = `hf.cmd.${command}.${workspace}.${node}`;
    const answer = await this.requests.request<Value>(subject, body, {
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
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
}
