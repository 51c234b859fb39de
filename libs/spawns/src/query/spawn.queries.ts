import { Query } from '@nestjs/cqrs';
import type { Page, SpawnDetailView, SpawnView, TimelineEntryView } from '#contracts';
import type { AfterQuery, SpawnListQuery } from '#contracts/requests';
import type { SpawnId, WorkspaceId } from '#kernel';

/** What a list of spawns is narrowed to, and which page of it is asked for. */
export type SpawnFilter = Readonly<Pick<SpawnListQuery, keyof SpawnListQuery>>;

/** Spawns of a workspace, newest first. */
export class ListSpawns extends Query<Page<SpawnView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly filter: SpawnFilter,
  ) {
    super();
  }
}

/** One spawn and its task. */
export class GetSpawn extends Query<SpawnDetailView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly spawnId: SpawnId,
  ) {
    super();
  }
}

/** The events of one spawn, from its stream. */
export class GetSpawnTimeline extends Query<Page<TimelineEntryView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly request: Readonly<Pick<AfterQuery, keyof AfterQuery>>,
  ) {
    super();
  }
}
