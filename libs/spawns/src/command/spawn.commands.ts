import { Command } from '@nestjs/cqrs';
import type { Caller } from '#access/contract';
import type {
  ClaimAnswer,
  ReportAnswer,
  SpawnAnswer,
  SpawnClaimRequest,
  SpawnReport,
  SpawnResolutionAnswer,
  StrictSpawnAnswer,
} from '#contracts';
import type {
  CreateSpawnRequest,
  ResolveSpawnRequest,
  SpawnReplayRequest,
  StrictInvokeRequest,
} from '#contracts/requests';
import type { Trace } from '#hosting';
import type { NodeId, WorkspaceId } from '#kernel';

/** A caller wants one agent on this node, or nothing. */
export class StrictInvokeCommand extends Command<StrictSpawnAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: StrictInvokeRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A caller asks what became of its call, and wants it to go on if nothing has left yet. */
export class ReplaySpawnCommand extends Command<StrictSpawnAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: SpawnReplayRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A caller wants an agent on whichever node fits. */
export class CreateSpawnCommand extends Command<SpawnAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: CreateSpawnRequest,
    /** The request as it was sent: what its fingerprint is made of. */
    readonly asSent: unknown,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** An operator says what becomes of an agent that may be alive. */
export class ResolveSpawnCommand extends Command<SpawnResolutionAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: ResolveSpawnRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** May this incarnation of a node start this agent? */
export class ClaimSpawnCommand extends Command<ClaimAnswer> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly request: SpawnClaimRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** What a node knows of an agent. */
export class ReportSpawnCommand extends Command<ReportAnswer> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly report: SpawnReport,
    readonly trace: Trace,
  ) {
    super();
  }
}
