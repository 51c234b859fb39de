import { Query } from '@nestjs/cqrs';
import type { OutputView, Page, RunDetailView, RunView, TimelineEntryView } from '#contracts';
import type { AfterQuery, RunListQuery } from '#contracts/requests';
import type { RunId, WorkspaceId } from '#kernel';

/** What a list of runs is narrowed to, and which page of it is asked for. */
export type RunFilter = Readonly<Pick<RunListQuery, keyof RunListQuery>>;

/** Which run is read, and from where. */
export type RunWindow = Readonly<Pick<AfterQuery, keyof AfterQuery>>;

/** Runs of a workspace, newest first. */
export class ListRuns extends Query<Page<RunView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly filter: RunFilter,
  ) {
    super();
  }
}

/** Of each open status the run that was submitted first, in the order of the statuses. */
export class ListOldestOpenRuns extends Query<readonly RunView[]> {
  constructor(readonly workspace: WorkspaceId) {
    super();
  }
}

/** One run and its prompt. */
export class GetRun extends Query<RunDetailView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly runId: RunId,
  ) {
    super();
  }
}

/** The events of one run, from its stream. */
export class GetTimeline extends Query<Page<TimelineEntryView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly request: RunWindow,
  ) {
    super();
  }
}

/** The output of one run, as far as it was kept. */
export class GetOutput extends Query<OutputView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly request: RunWindow,
  ) {
    super();
  }
}
