import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import {
  RuleViolation,
  type Clock,
  type Provenance,
  type RunId,
  type SessionId,
  type WorkspaceId,
} from '#kernel';
import type { RunsForSessions } from '#runs/contract';
import { SESSION_QUEUE_MAX, type SessionPlaces } from '../contract/index.js';
import { knowsRun } from '../domain/index.js';
import { SESSION_AGGREGATE } from './session.aggregate.js';

/** Sessions as their streams say; places are given by what is not there, so they are read from the leader. */
export class StoredSessions implements SessionPlaces {
  constructor(
    private readonly store: AggregateStore,
    private readonly runs: RunsForSessions,
    private readonly clock: Clock,
  ) {}

  async checkRoom(workspace: WorkspaceId, sessionId: SessionId): Promise<void> {
    const { state } = await this.store.load(SESSION_AGGREGATE, workspace, sessionId);
    const waiting = state.queue.length;
    if (waiting >= SESSION_QUEUE_MAX)
      throw new RuleViolation('session_queue_full', { sessionId, waiting });
  }

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
