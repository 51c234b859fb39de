import type { AttemptEnd } from '#runs/contract';
import { tracing } from '#tracing';
import type { Entry } from '../domain/index.js';

/** The trace that an entry belongs to. */
export class EntryTrace {
  /** The trace context of the attempt, once it ended here. */
  #attempt: string | undefined;

  /** What the node says of the entry belongs to the attempt, once that has ended, else to its frame. */
  contextOf({ frame }: Entry): string | undefined {
    return this.#attempt ?? frame?.traceparent;
  }

  /**
   * The end of an attempt is journalled. Its span is made now, from the journal's own times: whoever started it may be gone,
   * and one that had to be kept open would be lost with its process.
   */
  ended({ phase, goAt: startedAt, frame }: Entry, end: AttemptEnd): void {
    if (phase !== 'go' || startedAt === null || frame === null) return;
    const { workspace, node, agent, runId, generation, traceparent: parent } = frame;
    const facts = {
      'holdfast.workspace': workspace,
      'holdfast.node': node,
      'holdfast.agent': agent,
      'holdfast.id': runId,
      'holdfast.generation': generation,
      'holdfast.outcome': end.how,
    };
    const span = tracing.open({ name: 'attempt', parent, startedAt, facts });
    this.#attempt = span.traceparent;
    if (end.how !== 'completed') span.fail(end.how);
    span.end();
  }
}
