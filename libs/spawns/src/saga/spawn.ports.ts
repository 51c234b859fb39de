import type { SpawnedAgents } from '#agents/contract';
import type { AskAnswer, AskRequest, Frame } from '#contracts';
import type { Loaded } from '#event-store';
import type { Clock, Epoch, NodeId, Provenance, SpawnId, WorkspaceId } from '#kernel';
import type { LivenessAuthority, NodeSlots } from '#nodes/contract';
import type { ExistingSpawn, SpawnCommand, SpawnState } from '../domain/index.js';

/** A spawn that exists, as it was loaded. */
export type LoadedSpawn = Loaded<SpawnState> & { readonly state: ExistingSpawn };

/** Spawns, as the leader has them. */
export interface SpawnStore {
  load(workspace: WorkspaceId, spawnId: SpawnId): Promise<Loaded<SpawnState>>;
  /**
   * Decides and appends under compare-and-set.
   *
   * @returns the spawn after the commit; as it was when there was nothing new.
   * @throws RevisionConflict or RuleViolation: somebody else was first. Look again.
   */
  append(
    spawn: Loaded<SpawnState>,
    command: SpawnCommand,
    by: Provenance,
  ): Promise<Loaded<SpawnState>>;
}

/** The line to nodes. */
export interface SpawnLines {
  /** Puts the frame on its way; does nothing when it is there already. */
  publishFrame(frame: Frame): Promise<void>;
  /** Asks as often and as long as the windows say. @returns null when nobody answered. */
  ask(workspace: WorkspaceId, node: NodeId, request: AskRequest): Promise<AskAnswer | null>;
}

/**
 * What moving a spawn on does to the world. Each of these may be the last thing that a process does, before or after its
 * effect: the next one that looks at the spawn goes on from what is recorded.
 */
export interface SpawnPorts {
  readonly spawns: SpawnStore;
  readonly slots: NodeSlots;
  readonly agents: Pick<SpawnedAgents, 'standing'>;
  readonly liveness: LivenessAuthority;
  readonly lines: SpawnLines;
  readonly epochs: { epoch(): Promise<Epoch> };
  readonly clock: Clock;
  /** 32 hexadecimal digits that nobody can guess. */
  readonly newToken: () => string;
}
