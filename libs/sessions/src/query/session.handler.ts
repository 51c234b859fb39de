import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SessionView } from '#contracts';
import { RuleViolation, type SessionId } from '#kernel';
import { RUN_LOOKUP, type RunLookup } from '#runs/contract';
import { GetSession } from './session.queries.js';
import { SessionReader } from './session-reader.js';
import { sessionWaitsFor } from './session-waits-for.js';

@QueryHandler(GetSession)
export class GetSessionHandler implements IQueryHandler<GetSession> {
  constructor(
    @Inject(SessionReader) private readonly sessions: SessionReader,
    @Inject(RUN_LOOKUP) private readonly runs: RunLookup,
  ) {}

  /** @throws RuleViolation `session_not_found`: no run of this workspace ever opened it. */
  async execute({ workspace, sessionId }: GetSession): Promise<SessionView> {
    const openerId: string = sessionId; // A session has the id of the run that opened it.
    const queue = await this.sessions.find(workspace, sessionId);
    const { activeRunId } = queue;
    const briefs = await this.runs.briefsOf(workspace, [openerId, activeRunId]);
    const opener = briefs.get(openerId);
    // A run that queued in another session has opened none.
    if (opener?.sessionId !== sessionId) throw sessionNotFound(sessionId);
    return {
      sessionId,
      agent: opener.agent,
      activeRunId,
      queue: queue.queue,
      waitsFor: sessionWaitsFor(queue, briefs.get(activeRunId)),
    };
  }
}

const sessionNotFound = (sessionId: SessionId): RuleViolation =>
  new RuleViolation('session_not_found', { sessionId }, 'there is no such session');
