import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ResolutionAnswer } from '#contracts';
import { metadataOf } from '#hosting';
import { RuleViolation } from '#kernel';
import { idOf } from '#platform';
import type { RunEvent } from '../domain/index.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import { RUN_WRITING, type RunWriting } from './run-writing.js';
import { ResolveRunCommand } from './run.commands.js';

/** An operator settles what nobody can prove. */
@CommandHandler(ResolveRunCommand)
export class ResolveRunHandler implements ICommandHandler<ResolveRunCommand> {
  constructor(@Inject(RUN_WRITING) private readonly runs: RunWriting) {}

  /** @throws RuleViolation `run_not_found`, `run_not_unknown`, `run_stop_recorded`, `idempotency_conflict`. */
  async execute({ caller, key, request, trace }: ResolveRunCommand): Promise<ResolutionAnswer> {
    const { runId, as, note } = request;
    const { workspace, principal } = caller;
    // A resolution creates nothing with an id of its own: its key counts for the run that it names.
    const id = idOf(workspace, principal, `resolve/${runId}`, key);
    const resolved = await this.runs.store.execute(
      RUN_AGGREGATE,
      { workspace, id: runId },
      { type: 'ResolveRun', runId, now: this.runs.clock.now(), as, note, actor: principal },
      {
        commandId: `resolve/${id}`,
        metadata: metadataOf('ResolveRun', { actor: principal, ...trace }),
      },
    );
    if (!resolved.events.some((event) => saysSo(event, as, note)))
      throw new RuleViolation('idempotency_conflict', { runId });
    return { value: { runId, status: as }, replayed: resolved.repeated };
  }
}

const saysSo = (event: RunEvent, as: string, note: string): boolean =>
  event.type === 'RunResolved' && event.data.as === as && event.data.note === note;
