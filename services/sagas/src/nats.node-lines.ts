import type { AskAnswer, AskRequest, Frame } from '#contracts';
import type { NodeId, WorkspaceId } from '#kernel';
import {
  askSubject,
  publishFrame,
  type Answer,
  type FramePublisher,
  type RequestClient,
} from '#nats';
import type { Windows } from '#platform';
import type { NodeLines } from '#runs/saga';
import { tracing } from '#tracing';

/** The line from a saga to nodes: frames that are stored, and questions that are answered now or not at all. */
export class NatsNodeLines implements NodeLines {
  constructor(
    private readonly frames: Pick<FramePublisher, 'publish'>,
    private readonly requests: Pick<RequestClient, 'request'>,
    private readonly windows: Pick<Windows, 'askAttempts' | 'askTimeoutMs'>,
  ) {}

  async publishFrame(frame: Frame): Promise<void> {
    await publishFrame(this.frames, frame);
  }

  async ask(workspace: WorkspaceId, node: NodeId, request: AskRequest): Promise<AskAnswer | null> {
    const { askAttempts, askTimeoutMs } = this.windows;
    for (let attempt = 0; attempt < askAttempts; attempt += 1) {
      const beganMs = performance.now();
      const answer = await this.askOnce(askSubject(workspace, node), request, attempt + 1);
      if (answer.kind === 'answer') return named(answer.value, request);
      // Nobody listens there, which is known at once: a node that is just starting gets the same time as a slow one.
      const leftMs = askTimeoutMs - (performance.now() - beganMs);
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    }
    return null;
  }

  private askOnce(
    subject: string,
    request: AskRequest,
    attempt: number,
  ): Promise<Answer<AskAnswer>> {
    const { question, generation } = request;
    const facts = {
      'holdfast.question': question,
      'holdfast.generation': generation,
      'holdfast.attempt': attempt,
    };
    return tracing.within({ name: `ask ${question}`, kind: 'client', facts }, async (span) => {
      const { traceparent } = span;
      const answer = await this.requests.request<AskAnswer>(subject, request, {
        ...(traceparent === undefined ? {} : { headers: { traceparent } }),
        timeoutMs: this.windows.askTimeoutMs,
      });
      span.note({ 'holdfast.outcome': answer.kind });
      return answer;
    });
  }
}

/** Only the journal that is asked may answer; whoever else answers says no more than that he is another. */
const named = (answer: AskAnswer, { journalId }: AskRequest): AskAnswer =>
  answer.answer !== 'other-journal' && answer.journalId !== journalId
    ? { answer: 'other-journal', journalId: answer.journalId }
    : answer;
