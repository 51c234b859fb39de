import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { EVENT_STORE, type Commit, type EventStore } from '#event-store';
import { RuleViolation, type SpawnId, type WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import type { SpawnBrief, SpawnBriefs } from '../contract/index.js';
import type { SpawnEvent } from '../domain/index.js';
import {
  SPAWN_ROWS,
  SpawnTaskEntity,
  SpawnViewEntity,
  type SpawnRow,
} from '../projection/index.js';
import { agentOf } from './spawn-view.js';

/** Finds single spawns: in the read model, or in the stream when the read model does not have them yet. */
@Injectable()
export class SpawnReader implements SpawnBriefs {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /**
   * What is not in the read model yet is folded from the spawn's own stream; its slot and its agent are shown once it is.
   *
   * @throws RuleViolation `spawn_not_found` when there is none in this workspace.
   */
  async row(workspace: WorkspaceId, spawnId: SpawnId): Promise<SpawnRow> {
    const stored = await this.database.read((source) =>
      source.getRepository(SpawnViewEntity).findOneBy({ workspace, spawnId }),
    );
    const row = stored ?? rowOf(await this.commits(workspace, spawnId));
    if (row === undefined) throw spawnNotFound(spawnId);
    return row;
  }

  async task(workspace: WorkspaceId, spawnId: SpawnId): Promise<string> {
    const stored = await this.database.read((source) =>
      source.getRepository(SpawnTaskEntity).findOneBy({ workspace, spawnId }),
    );
    if (stored !== null) return stored.task;
    const task = taskIn(await this.commits(workspace, spawnId));
    if (task === undefined) throw spawnNotFound(spawnId);
    return task;
  }

  /** All commits of a spawn, oldest first. One that was just accepted is looked for at the leader before it is missed. */
  async commits(workspace: WorkspaceId, spawnId: SpawnId): Promise<readonly Commit[]> {
    const ref = { aggregate: 'spawn', workspace, id: spawnId };
    const near = await this.store.read(ref, { consistency: 'any', ignoreSnapshots: true });
    if (near.length > 0) return near;
    return this.store.read(ref, { consistency: 'leader', ignoreSnapshots: true });
  }

  async briefsOf(
    workspace: WorkspaceId,
    spawnIds: readonly SpawnId[],
  ): Promise<ReadonlyMap<SpawnId, SpawnBrief>> {
    if (spawnIds.length === 0) return new Map();
    const rows = await this.database.read((source) =>
      source.getRepository(SpawnViewEntity).findBy({ workspace, spawnId: In([...spawnIds]) }),
    );
    return new Map(rows.map((row) => [row.spawnId, briefOf(row)]));
  }
}

export const spawnNotFound = (spawnId: SpawnId): RuleViolation =>
  new RuleViolation('spawn_not_found', { spawnId }, 'there is no such spawn');

const rowOf = (commits: readonly Commit[]): SpawnRow | undefined =>
  commits.reduce<SpawnRow | undefined>(
    (row, commit) => SPAWN_ROWS.project(row, commit, {}),
    undefined,
  );

const taskIn = (commits: readonly Commit[]): string | undefined =>
  commits
    .flatMap(({ events }) => events as readonly SpawnEvent[])
    .find((event) => event.type === 'SpawnClaimed')?.data.task;

const briefOf = (row: SpawnRow): SpawnBrief => {
  const agent = agentOf(row);
  return {
    spawnId: row.spawnId,
    status: row.status,
    unanswered: row.unanswered,
    agent: agent === 'alive' || agent === 'ended' ? agent : null,
    resolution: row.resolution,
    isStopping: row.stopId !== null || row.resolution === 'stop',
  };
};
