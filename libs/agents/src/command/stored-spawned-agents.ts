import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import type { Clock, Provenance, SpawnId, WorkspaceId } from '#kernel';
import type { AgentBinding, SpawnedAgents, StartedAgent } from '../contract/index.js';
import type { AgentCommand } from '../domain/index.js';
import { AGENT_AGGREGATE } from './agent.aggregate.js';

const STANDING = { none: 'none', registered: 'alive', ended: 'ended' } as const;

/** Agents of spawns as their streams say. */
export class StoredSpawnedAgents implements SpawnedAgents {
  constructor(
    private readonly store: Pick<AggregateStore, 'load' | 'execute'>,
    private readonly clock: Clock,
  ) {}

  async standing(workspace: WorkspaceId, spawnId: SpawnId): Promise<'none' | 'alive' | 'ended'> {
    const { state } = await this.store.load(AGENT_AGGREGATE, workspace, spawnId, 'leader');
    return STANDING[state.status];
  }

  async started(workspace: WorkspaceId, agent: StartedAgent, by: Provenance): Promise<void> {
    const binding = bindingOf(agent);
    const command: AgentCommand = { type: 'RegisterAgent', binding, now: this.clock.now() };
    await this.execute(workspace, agent.spawnId, command, by);
  }

  async ended(
    workspace: WorkspaceId,
    { spawnId, node }: StartedAgent,
    reason: string,
    by: Provenance,
  ): Promise<void> {
    const now = this.clock.now();
    const name: string = spawnId; // By which its stream is known.
    const command: AgentCommand = { type: 'EndSpawnedAgent', name, node, reason, now };
    await this.execute(workspace, spawnId, command, by);
  }

  private async execute(
    workspace: WorkspaceId,
    id: SpawnId,
    command: AgentCommand,
    by: Provenance,
  ): Promise<void> {
    await this.store.execute(AGENT_AGGREGATE, { workspace, id }, command, {
      // It starts once and ends once, however often that is told.
      commandId: command.type,
      metadata: metadataOf(command.type, by),
    });
  }
}

/** A command line with its task as an argument: nothing that could be handed to it again. */
const bindingOf = ({ spawnId, name, node, harness }: StartedAgent): AgentBinding => ({
  name,
  node,
  runtime: harness,
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: false,
  outlivesClient: false,
  promptBy: 'argument',
  spawn: spawnId,
});
