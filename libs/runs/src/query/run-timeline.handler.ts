import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page, TimelineEntryView } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import type { Commit } from '#event-store';
import type { RunEvent } from '../domain/index.js';
import { GetTimeline } from './run.queries.js';
import { RunReader, runNotFound } from './run-reader.js';
import { timeText } from './run-view.js';

/** What happened to a run, from its own subject: the stream is the authority, no read model stands between. */
@QueryHandler(GetTimeline)
export class GetTimelineHandler implements IQueryHandler<GetTimeline> {
  constructor(@Inject(RunReader) private readonly runs: RunReader) {}

  /** @throws RuleViolation `run_not_found` */
  async execute({ workspace, request }: GetTimeline): Promise<Page<TimelineEntryView>> {
    const { id, after = 0, limit = PAGE_SIZE.max } = request;
    const commits = await this.runs.commits(workspace, id);
    if (commits.length === 0) throw runNotFound(id);
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
  (events as readonly RunEvent[]).map((event) => ({
    sequence: revision,
    at: timeText(event.data.at),
    type: event.type,
    actor: metadata.actor,
    command: metadata.command,
    data: shownOf(event),
  }));

/** The prompt has a place of its own, and a fingerprint says nothing to a person. */
const shownOf = ({ data }: RunEvent): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(data).filter(([name]) => !['prompt', 'fingerprint'].includes(name)),
  );
