import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ClaimAnswer } from '#contracts';
import { metadataOf, nodeActor } from '#hosting';
import { RuleViolation } from '#kernel';
import { METRICS, type Metrics } from '#platform';
import { commandOfNode } from './foreign-node.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import { RUN_WRITING, type RunWriting } from './run-writing.js';
import { ClaimRunCommand } from './run.commands.js';

/**
 * May this incarnation start this generation? Granted is only what an acknowledged append, or a look at the leader,
 * shows; a store that can't be asked is an error, which proves nothing, and the node asks again.
 */
@CommandHandler(ClaimRunCommand)
export class ClaimRunHandler implements ICommandHandler<ClaimRunCommand> {
  private readonly waited;

  constructor(
    @Inject(RUN_WRITING) private readonly runs: RunWriting,
    @Inject(METRICS) metrics: Metrics,
  ) {
    this.waited = metrics.seconds(
      'run_claimed_after_seconds',
      'From the submission of a run to a claim of it by its node.',
      [],
      'long',
    );
  }

  async execute({ workspace, node, request, trace }: ClaimRunCommand): Promise<ClaimAnswer> {
    const { runId } = request;
    const now = this.runs.clock.now();
    const epoch = await this.runs.epochs.epoch();
    const claim = { type: 'ClaimRun', now, epoch, ...request } as const;
    try {
      const { loaded, events } = await this.runs.store.execute(
        RUN_AGGREGATE,
        { workspace, id: runId },
        commandOfNode(node, claim),
        {
          // Not kept over repeats: a claim that is asked for again is decided again, a stop may have come in between.
          commandId: `claim/${String(request.generation)}/${randomUUID()}`,
          metadata: metadataOf('ClaimRun', { actor: nodeActor(workspace, node), ...trace }),
        },
      );
      const { state } = loaded;
      if (events.length > 0 && state.status !== 'none')
        this.waited.observe((now - state.submittedAt) / 1_000);
      return { claim: 'granted' };
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      return { claim: 'refused', reason: error.code };
    }
  }
}
