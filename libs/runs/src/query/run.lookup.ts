import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { RunId, WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import type { RunBrief, RunLookup, RunStopEvidence } from '../contract/index.js';
import type { RunEvent } from '../domain/index.js';
import { RunViewEntity, type RunRow } from '../projection/index.js';
import { RunReader } from './run-reader.js';

/** Runs for other slices, as the read model and, where it matters, the stream have them. */
@Injectable()
export class ReadRunLookup implements RunLookup {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RunReader) private readonly runs: RunReader,
  ) {}

  async briefsOf(
    workspace: WorkspaceId,
    runIds: readonly RunId[],
  ): Promise<ReadonlyMap<RunId, RunBrief>> {
    const rows: RunRow[] = await this.database.read((source) =>
      source.getRepository(RunViewEntity).findBy({ workspace, runId: In([...runIds]) }),
    );
    const missing = runIds.filter((id) => !rows.some(({ runId }) => runId === id));
    const folded = await Promise.all(missing.map((id) => this.runs.findRow(workspace, id)));
    return new Map(
      [...rows, ...folded.filter((row) => row !== undefined)].map((row) => [
        row.runId,
        briefOf(row),
      ]),
    );
  }

  async stopEvidenceOf(workspace: WorkspaceId, runId: RunId): Promise<RunStopEvidence | undefined> {
    const commits = await this.runs.commits(workspace, runId);
    const row = this.runs.rowOf(commits);
    if (row === undefined) return undefined;
    const stopped = commits
      .flatMap(({ events }) => events as readonly RunEvent[])
      .find((event) => event.type === 'RunStopped');
    return {
      status: row.status,
      stopId: row.stopId,
      settledBy: row.settledBy,
      stopped: stopped === undefined ? null : evidenceIn(stopped.data),
    };
  }
}

const briefOf = ({ runId, sessionId, agent, status, unknownFenced }: RunRow): RunBrief => ({
  runId,
  sessionId,
  agent,
  status,
  fenced: unknownFenced === true,
});

const evidenceIn = ({
  proof,
  remains,
  at,
}: Extract<RunEvent, { type: 'RunStopped' }>['data']): RunStopEvidence['stopped'] => ({
  proof,
  remains,
  at,
});
