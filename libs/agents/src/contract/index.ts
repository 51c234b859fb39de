import type { AgentName, NodeId, Provenance, SpawnId, WorkspaceId } from '#kernel';

/** What may be done with an agent's work: the runtime's capability matrix, as its adapter declares it. */
export interface AgentBinding {
  readonly name: AgentName;
  readonly node: NodeId;
  readonly runtime: string;
  readonly attempts: 'single' | 'resumable';
  readonly deduplicatesByKey: boolean;
  readonly readBackByKey: boolean;
  readonly interruptible: boolean;
  readonly outlivesClient: boolean;
  /** `argument`: a prompt of at most 128 KiB. `stdin`: the full size. */
  readonly promptBy: 'argument' | 'stdin';
  /** Of an agent that a spawn started: by whose id it is known. Its name is only what it goes by. */
  readonly spawn?: SpawnId;
}

export * from './agent-life.js';

/** Who answers under a name. */
export interface AgentDirectory {
  /** What a node offers under this name now; null when none does. */
  find(workspace: WorkspaceId, name: AgentName): Promise<AgentBinding | null>;
}
export const AGENT_DIRECTORY = Symbol('AgentDirectory');

/** What nodes offer. */
export interface AgentRegistry {
  /** @throws RuleViolation `agent_bound_elsewhere` when another node offers one of them. Writes nothing. */
  checkFree(workspace: WorkspaceId, bindings: readonly AgentBinding[]): Promise<void>;
  /** @throws RuleViolation `agent_bound_elsewhere`; those before it are registered. */
  register(
    workspace: WorkspaceId,
    bindings: readonly AgentBinding[],
    by: Provenance,
  ): Promise<void>;
  /** The node offers these no longer. What another node offers meanwhile stays. */
  end(
    workspace: WorkspaceId,
    node: NodeId,
    names: readonly AgentName[],
    by: Provenance,
  ): Promise<void>;
}
export const AGENT_REGISTRY = Symbol('AgentRegistry');

/** Agents that were started by spawns: each is known by the id of its spawn, starts once and ends once. */
export interface SpawnedAgents {
  /** From the leader. */
  standing(workspace: WorkspaceId, spawnId: SpawnId): Promise<'none' | 'alive' | 'ended'>;
  /** Its node has started it. An agent that has ended stays so. */
  started(workspace: WorkspaceId, agent: StartedAgent, by: Provenance): Promise<void>;
  /** Its node has proved that it ended; that it was started need not have been told before. */
  ended(workspace: WorkspaceId, agent: StartedAgent, reason: string, by: Provenance): Promise<void>;
}
export interface StartedAgent {
  readonly spawnId: SpawnId;
  readonly name: AgentName;
  readonly node: NodeId;
  readonly harness: string;
}
export const SPAWNED_AGENTS = Symbol('SpawnedAgents');
