import { Query } from '@nestjs/cqrs';
import type { NodeView, Page } from '#contracts';
import type { PageQuery } from '#contracts/requests';
import type { NodeId, WorkspaceId } from '#kernel';

/** The nodes of a workspace, by id, each judged now. */
export class ListNodes extends Query<Page<NodeView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly page: PageQuery,
  ) {
    super();
  }
}

export class GetNode extends Query<NodeView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
  ) {
    super();
  }
}
