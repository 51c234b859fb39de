import { Query } from '@nestjs/cqrs';
import type { SessionView } from '#contracts';
import type { SessionId, WorkspaceId } from '#kernel';

/** One session: who holds it, and who waits. */
export class GetSession extends Query<SessionView> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly sessionId: SessionId,
  ) {
    super();
  }
}
