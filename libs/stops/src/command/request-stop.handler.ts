import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#access/contract';
import type { StopAnswer } from '#contracts';
import type { StopRequestBody } from '#contracts/requests';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { metadataOf, type Trace } from '#hosting';
import { CLOCK, type Clock, type Provenance } from '#kernel';
import { WORKSPACE_KEYS, fingerprint, idOf, type WorkspaceKeys } from '#platform';
import { STOP_TARGETS, type StopTargets } from '../contract/index.js';
import { STOP_AGGREGATE } from './stop.aggregate.js';

/** A caller wants the target to end. */
export class RequestStopCommand extends Command<StopAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: StopRequestBody,
    /** The request as it was sent: what its fingerprint is made of. */
    readonly asSent: unknown,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** Accepts a stop: its own commit, then the target's. With the second one the stop wins over any later outcome. */
@CommandHandler(RequestStopCommand)
export class RequestStopHandler implements ICommandHandler<RequestStopCommand> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(STOP_TARGETS) private readonly targets: StopTargets,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RuleViolation `run_not_found`, `spawn_not_found`, `spawn_has_no_agent`: nothing was written. `idempotency_conflict`: nothing was changed. */
  async execute(command: RequestStopCommand): Promise<StopAnswer> {
    const { caller, key, request, asSent, trace } = command;
    const { workspace, principal } = caller;
    const by: Provenance = { actor: principal, ...trace };
    const stopId = idOf(workspace, principal, 'stop', key);
    const { kind, id } = request.target;
    await this.targets[kind].check(workspace, id);
    const requested = await this.store.execute(
      STOP_AGGREGATE,
      { workspace, id: stopId },
      {
        type: 'RequestStop',
        stopId,
        target: { kind, id },
        reason: request.reason,
        principal,
        fingerprint: fingerprint(this.keys.keyOf(workspace), asSent),
        now: this.clock.now(),
      },
      {
        // Each request is a command of its own: what makes two of them one is the stop's id, and its fingerprint.
        commandId: `request/${randomUUID()}`,
        metadata: metadataOf('RequestStop', by),
        expectNew: true,
      },
    );
    // Also for a repeat: whoever was first may have died between its two appends.
    await this.targets[kind].requestStop(
      workspace,
      { id, stopId, reason: request.reason, principal },
      by,
    );
    return { value: { stopId }, replayed: requested.events.length === 0 };
  }
}
