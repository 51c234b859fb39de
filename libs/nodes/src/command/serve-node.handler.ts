import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { NodeServiceAnswer } from '#contracts';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import { CLOCK, type Clock } from '#kernel';
import { idOf } from '#platform';
import { NODE_AGGREGATE } from './node.aggregate.js';
import { ServeNodeCommand } from './node.commands.js';

/** An operator takes a node out of service, or puts it back: what runs there goes on, and nothing new is placed. */
@CommandHandler(ServeNodeCommand)
export class ServeNodeHandler implements ICommandHandler<ServeNodeCommand> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RuleViolation `node_not_found` */
  async execute(command: ServeNodeCommand): Promise<NodeServiceAnswer> {
    const { caller, key, request, type, trace } = command;
    const { workspace, principal } = caller;
    const { nodeId, reason } = request;
    const now = this.clock.now();
    const served = await this.store.execute(
      NODE_AGGREGATE,
      { workspace, id: nodeId },
      { type, nodeId, reason, actor: principal, now },
      {
        commandId: `${type}/${idOf(workspace, principal, `${type}/${nodeId}`, key)}`,
        metadata: metadataOf(type, { actor: principal, ...trace }),
      },
    );
    const { drained } = served.loaded.state;
    return { value: { nodeId, drained }, replayed: served.events.length === 0 || served.repeated };
  }
}
