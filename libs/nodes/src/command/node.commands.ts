import { Command } from '@nestjs/cqrs';
import type { JoinAnswer, JoinRequest } from '#contracts';
import type { LeaveBody } from '#contracts/requests';
import type { Trace } from '#hosting';
import type { NodeId, WorkspaceId } from '#kernel';

/** A node-agent starts: it says what it is and offers, and may work from now on. */
export class JoinNodeCommand extends Command<JoinAnswer> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly request: JoinRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A node takes itself out of service. */
export class LeaveNodeCommand extends Command<{ readonly left: boolean }> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly request: LeaveBody,
    readonly trace: Trace,
  ) {
    super();
  }
}
