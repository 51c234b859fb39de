import { Contended, RevisionConflict, type AggregateStore } from '#event-store';
import { KeyedAdvances, bySagas, metadataOf, type Saw } from '#hosting';
import type { Clock, RunId, SessionId, WorkspaceId } from '#kernel';
import type { RunAdvancer, RunsForSessions } from '#runs/contract';
import { SESSION_AGGREGATE } from '../command/index.js';
import { SESSION_QUEUE_MAX, type SessionAdvancer } from '../contract/index.js';
import { decideSession, type SessionEvent } from '../domain/index.js';
import { nextSession } from './session.next.js';

/** What a wake-up brings along. */
interface Demand {
  /** Whoever holds the session must be looked at: it may have been given the place, and nobody told it. */
  readonly wakeActive: boolean;
}

/** One advance gives the place at most to everybody who may wait, and loses a few races on the way. */
const LOOKS_MAX = SESSION_QUEUE_MAX + 16;

/**
 * Moves sessions on: while the run that holds the place is over, gives it to the next. Everything is read from the
 * leader, the session before its active run, so that no wake-up is lost between two readers.
 */
export class SessionSaga implements SessionAdvancer {
  private readonly advances: KeyedAdvances<Demand, RunId | null>;
  private runAdvancer: RunAdvancer | undefined;

  constructor(
    private readonly store: AggregateStore,
    private readonly runs: RunsForSessions,
    private readonly clock: Clock,
  ) {
    this.advances = new KeyedAdvances(
      (key, demand, saw) => this.moveOn(key, demand, saw),
      (one, other) => ({ wakeActive: one.wakeActive || other.wakeActive }),
    );
  }

  /** Whom it tells of a place. Runs and sessions wake each other, so one of the two is told later. */
  wakes(runAdvancer: RunAdvancer): void {
    this.runAdvancer = runAdvancer;
  }

  /** After a commit of the session. */
  async onCommit(
    workspace: WorkspaceId,
    sessionId: SessionId,
    events: readonly SessionEvent[],
    revision: number,
  ): Promise<void> {
    const wakeActive = events.some(
      (event) => event.type === 'SessionAdvanced' || event.data.admitted,
    );
    await this.follow(workspace, sessionId, { wakeActive }, revision);
  }

  async advance(workspace: WorkspaceId, sessionId: SessionId, wakeActive = false): Promise<void> {
    await this.follow(workspace, sessionId, { wakeActive }, Infinity);
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    await this.advances.settled();
  }

  private async follow(
    workspace: WorkspaceId,
    sessionId: SessionId,
    demand: Demand,
    revision: number,
  ): Promise<void> {
    const admitted = await this.advances.advance(`${workspace}/${sessionId}`, demand, revision);
    // Not while the session is being advanced: a run that is over advances it in turn.
    if (admitted !== null) await this.runAdvancer?.advance(workspace, admitted);
  }

  /** @returns whom to tell that it holds the place; null when that is no news. */
  private async moveOn(key: string, { wakeActive }: Demand, saw: Saw): Promise<RunId | null> {
    const [workspace = '', sessionId = ''] = key.split('/');
    let isNews = wakeActive;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const session = await this.store.load(SESSION_AGGREGATE, workspace, sessionId, 'leader');
      saw(session.revision);
      const { active, queue } = session.state;
      if (queue.length === 0) return isNews ? active : null;
      const { over } = await this.runs.read(workspace, active);
      const next = nextSession(session.state, { activeOver: over });
      if (next.kind !== 'take') return isNews ? active : null;
      const command = {
        type: 'AdvanceSession',
        sessionId,
        released: next.step.released,
        now: this.clock.now(),
      } as const;
      try {
        await this.store.append(
          SESSION_AGGREGATE,
          session,
          decideSession(command, session.state),
          `AdvanceSession/${String(session.revision)}`,
          metadataOf('AdvanceSession', bySagas(session)),
        );
        isNews = true; // Of the next one; whoever held the place before is over.
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error; // Else somebody was first: look again.
      }
    }
    throw new Contended(key, LOOKS_MAX, { cause: undefined });
  }
}
