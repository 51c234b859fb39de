import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import { RuleViolation, type Clock, type Instant } from '#kernel';
import type { RequestClient } from '#nats';
import { RUN_AGGREGATE } from '#runs/command';
import type { OpenRun, RunFindingActions } from '#runs/reconcile';

export interface RunActionsParts {
  readonly requests: RequestClient;
  readonly aggregates: AggregateStore;
  readonly epochs: { epoch(): Promise<number> };
  readonly clock: Clock;
  readonly strandedMs: number;
  /** A saga may ask a node several times before it answers, ms. */
  readonly advanceTimeoutMs: number;
  readonly onProblem: (problem: unknown, run: OpenRun) => void;
}

/** Hands findings on: to the saga by request, to the run's own stream by decision. */
export class NatsRunActions implements RunFindingActions {
  constructor(private readonly parts: RunActionsParts) {}

  async advance(run: OpenRun, doubt: string | null): Promise<void> {
    const { requests, advanceTimeoutMs, onProblem } = this.parts;
    const body = { workspace: run.workspace, id: run.runId, doubt };
    const answer = await requests.request('hf.cmd.runs.advance', body, {
      timeoutMs: advanceTimeoutMs,
    });
    // Not lost: what is still due at the next pass is found again.
    if (answer.kind !== 'answer') onProblem(answer, run);
  }

  async strand(run: OpenRun, since: Instant): Promise<void> {
    const { aggregates, epochs, clock, strandedMs: windowMs, onProblem } = this.parts;
    const { runId, workspace } = run;
    try {
      const command = {
        type: 'StrandRun',
        runId,
        now: clock.now(),
        since,
        windowMs,
        epoch: await epochs.epoch(),
      } as const;
      const { trace: traceparent } = await aggregates.load(RUN_AGGREGATE, workspace, runId);
      const by = {
        actor: 'service:reconciler',
        ...(traceparent === undefined ? {} : { traceparent }),
      };
      await aggregates.execute(RUN_AGGREGATE, { workspace, id: runId }, command, {
        commandId: `strand/${runId}`,
        metadata: metadataOf(command.type, by),
        consistency: 'leader',
      });
    } catch (problem) {
      if (!(problem instanceof RuleViolation)) onProblem(problem, run);
    }
  }
}
