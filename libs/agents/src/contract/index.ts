import type { AgentName, NodeId, Provenance, WorkspaceId } from '#kernel';

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
}

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
