import { Command } from '@nestjs/cqrs';
import type { Caller } from '#access/contract';
import type {
  ClaimAnswer,
  ClaimRequest,
  ReportAnswer,
  ResolutionAnswer,
  RunReport,
  SubmissionAnswer,
} from '#contracts';
import type { ResolveRunRequest, SubmissionRequest } from '#contracts/requests';
import type { Trace } from '#hosting';
import type { NodeId, WorkspaceId } from '#kernel';

/** A caller wants a prompt to be run, once. */
export class SubmitRunCommand extends Command<SubmissionAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: SubmissionRequest,
    /** The request as it was sent, before any default: what its fingerprint is made of. */
    readonly asSent: unknown,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** An operator says how an unknown outcome counts. */
export class ResolveRunCommand extends Command<ResolutionAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: ResolveRunRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A node asks whether it may start a generation. */
export class ClaimRunCommand extends Command<ClaimAnswer> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly request: ClaimRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A node says what it knows of a generation. */
export class ReportRunCommand extends Command<ReportAnswer> {
  constructor(
    readonly workspace: WorkspaceId,
    readonly node: NodeId,
    readonly report: RunReport,
    readonly trace: Trace,
  ) {
    super();
  }
}
