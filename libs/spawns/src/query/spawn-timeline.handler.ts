import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page, TimelineEntryView } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import type { Commit } from '#event-store';
import type { SpawnEvent } from '../domain/index.js';
import { GetSpawnTimeline } from './spawn.queries.js';
import { SpawnReader, spawnNotFound } from './spawn-reader.js';
import { timeText } from './spawn-view.js';

/** What happened to a spawn, from its own subject: the stream is the authority, no read model stands between. */
@QueryHandler(GetSpawnTimeline)
export class GetSpawnTimelineHandler implements IQueryHandler<GetSpawnTimeline> {
  constructor(@Inject(SpawnReader) private readonly spawns: SpawnReader) {}

  /** @throws RuleViolation `spawn_not_found` */
  async execute({ workspace, request }: GetSpawnTimeline): Promise<Page<TimelineEntryView>> {
    const { id, after = 0, limit = PAGE_SIZE.max } = request;
    const commits = await this.spawns.commits(workspace, id);
    if (commits.length === 0) throw spawnNotFound(id);
    const items: TimelineEntryView[] = [];
    for (const commit of commits) {
      if (commit.revision <= after) continue;
      // A commit is shown whole: a page may be a few events longer, but `after` never points into one.
      if (items.length >= limit) return { items, nextCursor: String(items.at(-1)?.sequence) };
      items.push(...entriesOf(commit));
    }
    return { items, nextCursor: null };
  }
}

const entriesOf = ({ revision, events, metadata }: Commit): readonly TimelineEntryView[] =>
  (events as readonly SpawnEvent[]).map((event) => ({
    sequence: revision,
    at: timeText(event.data.at),
    type: event.type,
    actor: metadata.actor,
    command: metadata.command,
    data: shownOf(event),
  }));

/**
 * The task has a place of its own, and a fingerprint says nothing to a person. The key is its caller's alone, and the token is
 * what whoever dispatches proves itself with.
 */
const HIDDEN: readonly string[] = ['task', 'fingerprint', 'key', 'token'];

const shownOf = ({ data }: SpawnEvent): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !HIDDEN.includes(name)));
