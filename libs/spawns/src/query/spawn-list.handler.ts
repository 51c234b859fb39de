import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, SpawnView } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import { Database, decodeCursor, pageOf } from '#postgres';
import { callerStatusOf, type CallerSpawnStatus, type SpawnStatus } from '../contract/index.js';
import { SpawnViewEntity } from '../projection/index.js';
import { ListSpawns, type SpawnFilter } from './spawn.queries.js';
import { SpawnViews } from './spawn-views.js';

/** Newest first, by their claims. New ones come in front of what was shown, so a cursor never skips or repeats one. */
@QueryHandler(ListSpawns)
export class ListSpawnsHandler implements IQueryHandler<ListSpawns> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SpawnViews) private readonly views: SpawnViews,
  ) {}

  /** @throws RuleViolation `invalid_request` when the cursor is not one of this list. */
  async execute({ workspace, filter }: ListSpawns): Promise<Page<SpawnView>> {
    const { limit = PAGE_SIZE.default } = filter;
    const after = decodeCursor(filter.cursor, ['number', 'string']);
    const found = await this.database.read((source) => {
      const query = source
        .getRepository(SpawnViewEntity)
        .createQueryBuilder('spawn')
        .where('spawn.workspace = :workspace', { workspace })
        .orderBy('spawn.claimedAt', 'DESC')
        .addOrderBy('spawn.spawnId', 'DESC')
        .limit(limit + 1);
      narrow(query, filter);
      if (after !== undefined) {
        const [at, spawnId] = after;
        query.andWhere('(spawn.claimedAt, spawn.spawnId) < (:at, :spawnId)', {
          at: new Date(at),
          spawnId,
        });
      }
      return query.getMany();
    });
    const page = pageOf(found, limit, ({ claimedAt, spawnId }) => [claimedAt, spawnId]);
    return { ...page, items: await this.views.of(workspace, page.items) };
  }
}

const narrow = (query: SelectQueryBuilder<SpawnViewEntity>, filter: SpawnFilter): void => {
  const { status, kind, node, unknown } = filter;
  if (status !== undefined)
    query.andWhere('spawn.status IN (:...status)', { status: status.flatMap(ownStatusesOf) });
  if (kind !== undefined) query.andWhere('spawn.kind = :kind', { kind });
  if (node !== undefined) query.andWhere('spawn.nodeId = :node', { node });
  if (unknown !== undefined) query.andWhere(unknown ? 'spawn.unanswered' : 'NOT spawn.unanswered');
};

const OWN_STATUSES: readonly SpawnStatus[] = [
  'pending',
  'releasing',
  'dispatched',
  'claimed',
  'completed',
  'failed',
];

const ownStatusesOf = (status: CallerSpawnStatus): readonly SpawnStatus[] =>
  OWN_STATUSES.filter((own) => callerStatusOf(own) === status);
