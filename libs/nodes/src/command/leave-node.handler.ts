import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AGENT_REGISTRY, type AgentRegistry } from '#agents/contract';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { metadataOf, nodeActor } from '#hosting';
import { CLOCK, type Clock, type Provenance } from '#kernel';
import { NODE_AGGREGATE } from './node.aggregate.js';
import { LeaveNodeCommand } from './node.commands.js';

/** Takes a node out of service: its agents can't be addressed any more, its open runs wait for it to come back. */
@CommandHandler(LeaveNodeCommand)
export class LeaveNodeHandler implements ICommandHandler<LeaveNodeCommand> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(AGENT_REGISTRY) private readonly agents: AgentRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({
    workspace,
    node,
    request,
    trace,
  }: LeaveNodeCommand): Promise<{ readonly left: boolean }> {
    const by: Provenance = { actor: nodeActor(workspace, node), ...trace };
    const { journalId, reason } = request;
    const { state } = await this.store.load(NODE_AGGREGATE, workspace, node, 'leader');
    if (state.status === 'member' && state.journalId === journalId)
      await this.agents.end(workspace, node, state.description?.agents ?? [], by);
    const left = await this.store.execute(
      NODE_AGGREGATE,
      { workspace, id: node },
      { type: 'LeaveNode', nodeId: node, journalId, reason, now: this.clock.now() },
      { commandId: `leave/${randomUUID()}`, metadata: metadataOf('LeaveNode', by) },
    );
    return { left: left.events.length > 0 };
  }
}
