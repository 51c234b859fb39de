import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import type { Clock, Provenance, RunId, SessionId, WorkspaceId } from '#kernel';
import type { RunsForSessions } from '#runs/contract';
import type { SessionPlaces } from '../contract/index.js';
import { knowsRun } from '../domain/index.js';
import { SESSION_AGGREGATE } from './session.aggregate.js';

/** Sessions as their streams say; always read from the leader, because places are given by what is not there. */
export class StoredSessions implements SessionPlaces {
  constructor(
    private readonly store: AggregateStore,
    private readonly runs: RunsForSessions,
    private readonly clock: Clock,
  ) {}

  async enqueue(
    workspace: WorkspaceId,
    sessionId: SessionId,
    runId: RunId,
    by: Provenance,
  ): Promise<void> {
    const { state } = await this.store.load(SESSION_AGGREGATE, workspace, sessionId, 'leader');
    if (knowsRun(state, runId)) return;
    // Read after the session: what is over now was over, or not yet, when the session is decided on. Where somebody
    // waits already, nobody is admitted past them, and there is nothing to know.
    const { active } = state;
    const activeOver = state.queue.length === 0 && (await this.runs.read(workspace, active)).over;
    await this.store.execute(
      SESSION_AGGREGATE,
      { workspace, id: sessionId },
      { type: 'QueueRun', sessionId, runId, active, activeOver, now: this.clock.now() },
      {
        commandId: `queue/${runId}`,
        metadata: metadataOf('QueueRun', by),
        consistency: 'leader',
      },
    );
  }

  async standing(
    workspace: WorkspaceId,
    sessionId: SessionId,
    runId: RunId,
  ): Promise<'absent' | 'waiting' | 'admitted'> {
    const { state } = await this.store.load(SESSION_AGGREGATE, workspace, sessionId, 'leader');
    if (state.active === runId) return 'admitted';
    return knowsRun(state, runId) ? 'waiting' : 'absent';
  }
}
