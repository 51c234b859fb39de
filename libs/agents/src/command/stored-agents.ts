import { randomUUID } from 'node:crypto';
import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import {
  RuleViolation,
  type AgentName,
  type Clock,
  type NodeId,
  type Provenance,
  type WorkspaceId,
} from '#kernel';
import { ExpiringCache } from '#platform';
import type { AgentBinding, AgentDirectory, AgentRegistry } from '../contract/index.js';
import type { AgentCommand } from '../domain/index.js';
import { AGENT_AGGREGATE } from './agent.aggregate.js';

/**
 * How long an agent that was found is taken for offered, ms. A submission that comes so shortly after its node took
 * it back is accepted as if it had come before. Source: keeps the read of the agent out of the way to an acceptance.
 */
const KNOWN_FOR_MS = 1_000;
/** Agents that are known at a time. About 300 bytes each. */
const KNOWN_MAX = 10_000;

/** Agents as their streams say. Only names that are offered are remembered, and only for a moment. */
export class StoredAgents implements AgentDirectory, AgentRegistry {
  private readonly known: ExpiringCache<AgentBinding>;

  /** @param nowMs a clock that never goes back. */
  constructor(
    private readonly store: AggregateStore,
    private readonly clock: Clock,
    nowMs: () => number,
  ) {
    this.known = new ExpiringCache(KNOWN_MAX, KNOWN_FOR_MS, nowMs);
  }

  async find(workspace: WorkspaceId, name: AgentName): Promise<AgentBinding | null> {
    const key = `${workspace}/${name}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const binding =
      (await this.load(workspace, name, 'any')) ?? (await this.load(workspace, name, 'leader'));
    if (binding !== null) this.known.set(key, binding);
    return binding;
  }

  async checkFree(workspace: WorkspaceId, bindings: readonly AgentBinding[]): Promise<void> {
    for (const binding of bindings) {
      const bound = await this.load(workspace, binding.name, 'leader');
      if (bound !== null && bound.node !== binding.node)
        throw new RuleViolation(
          'agent_bound_elsewhere',
          { agent: binding.name, node: bound.node },
          `agent ${binding.name} is offered by node ${bound.node}`,
        );
    }
  }

  async register(
    workspace: WorkspaceId,
    bindings: readonly AgentBinding[],
    by: Provenance,
  ): Promise<void> {
    for (const binding of bindings)
      await this.execute(
        workspace,
        binding.name,
        { type: 'RegisterAgent', binding, now: this.clock.now() },
        by,
      );
  }

  async end(
    workspace: WorkspaceId,
    node: NodeId,
    names: readonly AgentName[],
    by: Provenance,
  ): Promise<void> {
    const reason = 'its node no longer offers it';
    for (const name of names)
      await this.execute(
        workspace,
        name,
        { type: 'EndAgent', name, node, reason, now: this.clock.now() },
        by,
      );
  }

  private async execute(
    workspace: WorkspaceId,
    name: AgentName,
    command: AgentCommand,
    by: Provenance,
  ): Promise<void> {
    await this.store.execute(AGENT_AGGREGATE, { workspace, id: name }, command, {
      // The same may be said again after something else was: each time it is a command of its own.
      commandId: `${command.type}/${randomUUID()}`,
      metadata: metadataOf(command.type, by),
    });
    this.known.delete(`${workspace}/${name}`);
  }

  private async load(
    workspace: WorkspaceId,
    name: AgentName,
    consistency: 'any' | 'leader',
  ): Promise<AgentBinding | null> {
    const { state } = await this.store.load(AGENT_AGGREGATE, workspace, name, consistency);
    // The agent of a spawn is known by its spawn, and takes no runs.
    const binding = state.status === 'registered' ? state.binding : null;
    return binding?.spawn === undefined ? binding : null;
  }
}
