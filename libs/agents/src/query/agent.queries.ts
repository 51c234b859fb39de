import { Query } from '@nestjs/cqrs';
import type { AgentView, Page } from '#contracts';
import type { NodeListQuery } from '#contracts/requests';
import type { AgentName, WorkspaceId } from '#kernel';

/** The agents of a workspace, by name. */
export class ListAgents extends Query<Page<AgentView>> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly filter: NodeListQuery,
  ) {
    super();
  }
}

export class GetAgent extends Query<AgentView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly agent: AgentName,
  ) {
    super();
  }
}
