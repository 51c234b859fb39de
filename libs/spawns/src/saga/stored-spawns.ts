import type { AggregateStore, Loaded } from '#event-store';
import { metadataOf } from '#hosting';
import type { Provenance, SpawnId, WorkspaceId } from '#kernel';
import { SPAWN_AGGREGATE } from '../command/spawn.aggregate.js';
import { SPAWN, type SpawnCommand, type SpawnState } from '../domain/index.js';
import type { SpawnStore } from './spawn.ports.js';

/** Spawns over the event store. */
export class StoredSpawns implements SpawnStore {
  constructor(private readonly store: Pick<AggregateStore, 'load' | 'append'>) {}

  async load(workspace: WorkspaceId, spawnId: SpawnId): Promise<Loaded<SpawnState>> {
    return this.store.load(SPAWN_AGGREGATE, workspace, spawnId, 'leader');
  }

  async append(
    spawn: Loaded<SpawnState>,
    command: SpawnCommand,
    by: Provenance,
  ): Promise<Loaded<SpawnState>> {
    const events = SPAWN.decide(command, spawn.state);
    if (events.length === 0) return spawn;
    // Two that decide the same on the same revision are one command; the broker keeps the first.
    const commandId = `${command.type}/${String(spawn.revision)}`;
    return this.store.append(
      SPAWN_AGGREGATE,
      spawn,
      events,
      commandId,
      metadataOf(command.type, by),
    );
  }
}
