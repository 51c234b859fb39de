import { Query } from '@nestjs/cqrs';
import type { StopView } from '#contracts';
import type { StopId, WorkspaceId } from '#kernel';

/** What became of a stop, from the streams of the stop and of its target. */
export class GetStop extends Query<StopView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly stopId: StopId,
  ) {
    super();
  }
}
