import { Command } from '@nestjs/cqrs';
import type { Caller } from '#access/contract';
import type { JoinAnswer, JoinRequest, NodeServiceAnswer } from '#contracts';
import type { LeaveBody, NodeServiceRequest } from '#contracts/requests';
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

/** An operator takes a node out of service (`DrainNode`), or puts it back (`ReturnNode`). */
export class ServeNodeCommand extends Command<NodeServiceAnswer> {
  constructor(
    readonly type: 'DrainNode' | 'ReturnNode',
    readonly caller: Caller,
    readonly key: string,
    readonly request: NodeServiceRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}
