import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AgentBinding, AgentRegistry } from '#agents/contract';
import { AGENT_REGISTRY } from '#agents/contract';
import type { JoinAnswer, JoinRequest } from '#contracts';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { NotNow, metadataOf, nodeActor } from '#hosting';
import { CLOCK, type Clock, type NodeId, type Provenance, type WorkspaceId } from '#kernel';
import { LEASE_READER, type LeaseReader } from '../contract/index.js';
import { NODE, type JoinNode, type NodeState } from '../domain/index.js';
import { NODE_ENTRANCE, type NodeEntrance } from './node-entrance.port.js';
import { JoinNodeCommand } from './node.commands.js';
import { NODE_AGGREGATE, NODE_ID_AGGREGATE } from './node.aggregate.js';

/**
 * Lets a node in. Whatever refuses it refuses before anything is written; what is written is written in an order in
 * which a repeat, after a crash anywhere, does the rest: agents first, the node's own commit, its consumer.
 */
@CommandHandler(JoinNodeCommand)
export class JoinNodeHandler implements ICommandHandler<JoinNodeCommand> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(AGENT_REGISTRY) private readonly agents: AgentRegistry,
    @Inject(LEASE_READER) private readonly leases: LeaseReader,
    @Inject(NODE_ENTRANCE) private readonly entrance: NodeEntrance,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws RuleViolation `node_already_joined`, `agent_bound_elsewhere`, `node_id_taken`.
   * @throws NotNow `node_lease_unclear`: it comes with another journal, and the lease can't be judged yet.
   */
  async execute({ workspace, node, request, trace }: JoinNodeCommand): Promise<JoinAnswer> {
    const by: Provenance = { actor: nodeActor(workspace, node), ...trace };
    const { state } = await this.store.load(NODE_AGGREGATE, workspace, node, 'leader');
    const command = await this.commandOf(workspace, node, request, state);
    NODE.decide(command, state); // Refuses now, before anything is written.
    const bindings = request.agents.map((agent): AgentBinding => ({ ...agent, node }));
    await this.agents.checkFree(workspace, bindings);
    await this.takeId(workspace, node, by);
    await this.agents.register(workspace, bindings, by);
    await this.agents.end(workspace, node, goneFrom(state, request), by);
    const joined = await this.store.execute(NODE_AGGREGATE, { workspace, id: node }, command, {
      commandId: `join/${randomUUID()}`, // The decider tells a repeat by what is joined, not by a name.
      metadata: metadataOf('JoinNode', by),
      consistency: 'leader',
    });
    return {
      epoch: await this.entrance.epoch(),
      frameConsumer: await this.entrance.ensureFrameConsumer(workspace, node),
      joinedAt: joined.loaded.state.startedAt ?? command.now,
    };
  }

  private async commandOf(
    workspace: WorkspaceId,
    node: NodeId,
    request: JoinRequest,
    state: NodeState,
  ): Promise<JoinNode> {
    const {
      journalId,
      incarnation,
      name,
      capabilities,
      capacity,
      maxRuns,
      agents,
      harnesses = [],
    } = request;
    const verdict = await this.leases.judge(workspace, node);
    // The same journal may always come back: its folder has one lock. Another one must not come while this one lives.
    if (verdict.kind === 'cannot-tell' && state.journalId !== null && state.journalId !== journalId)
      throw new NotNow('node_lease_unclear', `node ${node} may be alive elsewhere: ${verdict.why}`);
    return {
      type: 'JoinNode',
      nodeId: node,
      now: this.clock.now(),
      journalId,
      incarnation,
      description: {
        name,
        capabilities,
        capacity,
        maxRuns,
        agents: agents.map((agent) => agent.name),
        harnesses,
      },
      leaseHolder: verdict.kind === 'alive' ? verdict.lease : null,
    };
  }

  private async takeId(workspace: WorkspaceId, nodeId: NodeId, by: Provenance): Promise<void> {
    await this.store.execute(
      NODE_ID_AGGREGATE,
      { workspace: '_', id: nodeId },
      { type: 'TakeNodeId', nodeId, workspace, now: this.clock.now() },
      { commandId: `take/${randomUUID()}`, metadata: metadataOf('TakeNodeId', by) },
    );
  }
}

/** What it offered until now and offers no longer. */
const goneFrom = (node: NodeState, request: JoinRequest): readonly string[] => {
  const offered = new Set(request.agents.map(({ name }) => name));
  return (node.description?.agents ?? []).filter((name) => !offered.has(name));
};
