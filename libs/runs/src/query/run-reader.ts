import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type Commit, type EventStore } from '#event-store';
import { RuleViolation, type RunId, type WorkspaceId } from '#kernel';
import { Database } from '#postgres';
import type { RunEvent } from '../domain/index.js';
import { RUN_ROWS, RunPromptEntity, RunViewEntity, type RunRow } from '../projection/index.js';

/** Finds single runs: in the read model, or in the stream when the read model does not have them yet. */
@Injectable()
export class RunReader {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** @throws RuleViolation `run_not_found` when there is none in this workspace. */
  async row(workspace: WorkspaceId, runId: RunId): Promise<RunRow> {
    const row = await this.findRow(workspace, runId);
    if (row === undefined) throw runNotFound(runId);
    return row;
  }

  async findRow(workspace: WorkspaceId, runId: RunId): Promise<RunRow | undefined> {
    const stored = await this.database.read((source) =>
      source.getRepository(RunViewEntity).findOneBy({ workspace, runId }),
    );
    if (stored !== null) return stored;
    return this.rowOf(await this.commits(workspace, runId));
  }

  async prompt(workspace: WorkspaceId, runId: RunId): Promise<string> {
    const stored = await this.database.read((source) =>
      source.getRepository(RunPromptEntity).findOneBy({ workspace, runId }),
    );
    if (stored !== null) return stored.prompt;
    const prompt = promptIn(await this.commits(workspace, runId));
    if (prompt === undefined) throw runNotFound(runId);
    return prompt;
  }

  /** All commits of a run, oldest first. A run that was just accepted is looked for at the leader before it is missed. */
  async commits(workspace: WorkspaceId, runId: RunId): Promise<readonly Commit[]> {
    const ref = { aggregate: 'run', workspace, id: runId };
    const near = await this.store.read(ref, { consistency: 'any', ignoreSnapshots: true });
    if (near.length > 0) return near;
    return this.store.read(ref, { consistency: 'leader', ignoreSnapshots: true });
  }

  /** The row that the projection makes of these commits; undefined when there are none. */
  rowOf(commits: readonly Commit[]): RunRow | undefined {
    return commits.reduce<RunRow | undefined>(
      (row, commit) => RUN_ROWS.project(row, commit, {}),
      undefined,
    );
  }
}

export const runNotFound = (runId: RunId): RuleViolation =>
  new RuleViolation('run_not_found', { runId }, 'there is no such run');

const promptIn = (commits: readonly Commit[]): string | undefined =>
  commits
    .flatMap(({ events }) => events as readonly RunEvent[])
    .find((event) => event.type === 'RunSubmitted')?.data.prompt;
