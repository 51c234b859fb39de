import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { EVENT_STORE, type EventStore } from '#event-store';
import type { SessionId, WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import type { SessionQueue, SessionQueues } from '../contract/index.js';
import { SESSION_ROWS, SessionViewEntity, type SessionRow } from '../projection/index.js';

/** Reads who stands where in a session. */
@Injectable()
export class SessionReader implements SessionQueues {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** The session's queue; the opener's alone while nobody ever named the session, or it does not exist. */
  async find(workspace: WorkspaceId, sessionId: SessionId): Promise<SessionQueue> {
    const [row] = await this.rows(workspace, [sessionId]);
    return (
      row ??
      (await this.fold(workspace, sessionId)) ?? { activeRunId: String(sessionId), queue: [] }
    );
  }

  async queuesOf(
    workspace: WorkspaceId,
    sessionIds: readonly SessionId[],
  ): Promise<ReadonlyMap<SessionId, SessionQueue>> {
    const rows = await this.rows(workspace, sessionIds);
    return new Map(rows.map((row) => [row.sessionId, row]));
  }

  private async rows(
    workspace: WorkspaceId,
    sessionIds: readonly SessionId[],
  ): Promise<readonly SessionRow[]> {
    return this.database.read((source) =>
      source.getRepository(SessionViewEntity).findBy({ workspace, sessionId: In([...sessionIds]) }),
    );
  }

  /** The row that the projection will make, when somebody has named the session just now. */
  private async fold(
    workspace: WorkspaceId,
    sessionId: SessionId,
  ): Promise<SessionRow | undefined> {
    const ref = { aggregate: 'session', workspace, id: sessionId };
    const commits = await this.store.read(ref, { consistency: 'any', ignoreSnapshots: true });
    return commits.reduce<SessionRow | undefined>(
      (row, commit) => SESSION_ROWS.project(row, commit, {}),
      undefined,
    );
  }
}
