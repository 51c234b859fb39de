import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { RunView } from '#contracts';
import type { NodeId, RunId, SessionId, WorkspaceId } from '#kernel';
import { LEASE_READER, type LeaseReader, type LeaseVerdict } from '#nodes/contract';
import { Database } from '#postgres';
import { SESSION_QUEUES, type SessionQueue, type SessionQueues } from '#sessions/contract';
import { isSettled } from '../contract/index.js';
import { RunViewEntity, type RunRow } from '../projection/index.js';
import { toRunView } from './run-view.js';
import { waitsFor, type RunSurroundings } from './waits-for.js';

/** Completes rows with what their runs wait for: each node is judged once, each session looked up once. */
@Injectable()
export class RunViews {
  constructor(
    @Inject(LEASE_READER) private readonly leases: LeaseReader,
    @Inject(SESSION_QUEUES) private readonly sessions: SessionQueues,
    @Inject(Database) private readonly database: Database,
  ) {}

  async of(workspace: WorkspaceId, rows: readonly RunRow[]): Promise<readonly RunView[]> {
    const [leases, queues] = await Promise.all([
      this.leasesOf(workspace, rows),
      this.queuesOf(workspace, rows),
    ]);
    const holders = await this.holdersOf(workspace, queues);
    return rows.map((row) => {
      const queue = queues.get(row.sessionId);
      const holder = queue && holders.get(queue.activeRunId);
      return toRunView(row, waitsFor(row, { lease: leases.get(row.node), queue, holder }));
    });
  }

  private async leasesOf(
    workspace: WorkspaceId,
    rows: readonly RunRow[],
  ): Promise<ReadonlyMap<NodeId, LeaseVerdict>> {
    const open = rows.filter(({ status, admitted }) => !isSettled(status) && admitted);
    const nodes = [...new Set(open.map(({ node }) => node))];
    const judged = nodes.map(
      async (node) => [node, await this.leases.judge(workspace, node)] as const,
    );
    return new Map(await Promise.all(judged));
  }

  private async queuesOf(
    workspace: WorkspaceId,
    rows: readonly RunRow[],
  ): Promise<ReadonlyMap<SessionId, SessionQueue>> {
    const waiting = rows.filter(({ status, admitted }) => status === 'queued' && !admitted);
    if (waiting.length === 0) return new Map();
    const ids = [...new Set(waiting.map(({ sessionId }) => sessionId))];
    return this.sessions.queuesOf(workspace, ids);
  }

  private async holdersOf(
    workspace: WorkspaceId,
    queues: ReadonlyMap<SessionId, SessionQueue>,
  ): Promise<ReadonlyMap<RunId, NonNullable<RunSurroundings['holder']>>> {
    if (queues.size === 0) return new Map();
    const ids = [...queues.values()].map(({ activeRunId }) => activeRunId);
    const found = await this.database.read((source) =>
      source.getRepository(RunViewEntity).find({
        select: { runId: true, status: true, unknownFenced: true },
        where: { workspace, runId: In(ids) },
      }),
    );
    return new Map(
      found.map(({ runId, status, unknownFenced }) => [
        runId,
        { status, fenced: unknownFenced === true },
      ]),
    );
  }
}
