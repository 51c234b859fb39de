import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SpawnDetailView } from '#contracts';
import { bug } from '#kernel';
import { GetSpawn } from './spawn.queries.js';
import { SpawnReader } from './spawn-reader.js';
import { SpawnViews } from './spawn-views.js';

/** A spawn that was just accepted is found at once: what the read model does not have yet is folded from the stream. */
@QueryHandler(GetSpawn)
export class GetSpawnHandler implements IQueryHandler<GetSpawn> {
  constructor(
    @Inject(SpawnReader) private readonly spawns: SpawnReader,
    @Inject(SpawnViews) private readonly views: SpawnViews,
  ) {}

  /** @throws RuleViolation `spawn_not_found` */
  async execute({ workspace, spawnId }: GetSpawn): Promise<SpawnDetailView> {
    const row = await this.spawns.row(workspace, spawnId);
    const [[view], task] = await Promise.all([
      this.views.of(workspace, [row]),
      this.spawns.task(workspace, spawnId),
    ]);
    if (view === undefined) throw bug('a row has no view');
    return { ...view, task };
  }
}
