import { Query } from '@nestjs/cqrs';
import type { ChangeView, Page, ProjectionView } from '#contracts';
import type { WorkspaceId } from '#kernel';

/** How far each read model has come. */
export class ListProjections extends Query<Page<ProjectionView>> {}

/** What `hf.qry.changes.list` answers. */
export interface ChangesView {
  /** Each item once, as it stands now, in the order of its newest change. */
  readonly items: readonly ChangeView[];
  /** Pass it as `after` to go on. */
  readonly next: number;
}

/** What changed in a workspace after a position; nothing, and where "now" is, without a position. */
export class ListChanges extends Query<ChangesView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly after: number | undefined,
    readonly limit: number,
  ) {
    super();
  }
}
