import type { AggregateStore, Loaded } from '#event-store';
import type { Clock, Epoch, SpawnId, WorkspaceId } from '#kernel';
import type { ExistingSpawn, SpawnState } from '../domain/index.js';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';

/** What every handler of spawns needs. */
export class SpawnWriting {
  constructor(
    readonly store: AggregateStore,
    readonly epochs: { epoch(): Promise<Epoch> },
    readonly clock: Clock,
  ) {}

  async load(workspace: WorkspaceId, spawnId: SpawnId): Promise<Loaded<SpawnState>> {
    return this.store.load(SPAWN_AGGREGATE, workspace, spawnId, 'leader');
  }

  /** The spawn; null only when the leader says that there is none. */
  async find(workspace: WorkspaceId, spawnId: SpawnId): Promise<ExistingSpawn | null> {
    const near = await this.store.load(SPAWN_AGGREGATE, workspace, spawnId);
    if (near.state.status !== 'none') return near.state;
    const { state } = await this.load(workspace, spawnId);
    return state.status === 'none' ? null : state;
  }
}
export const SPAWN_WRITING = Symbol('SpawnWriting');
