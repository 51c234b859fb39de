import type { Commit } from '#event-store';
import {
  RowTable,
  TableBuild,
  TableProjection,
  type Database,
  type Projection,
  type RowProjector,
  type Sql,
  type TableOfBuild,
} from '#postgres';
import type { SessionEvent } from '#sessions/contract';
import type { RunEvent } from '../domain/index.js';
import { RunPromptEntity } from './run-prompt.entity.js';
import { RunViewEntity } from './run-view.entity.js';
import type { RunRow } from './run-view.row.js';
import { admittedBy, projectAdmission, projectRun } from './run.projector.js';

/** Runs, and whether their sessions let them run. */
export const RUNS_PROJECTION = 'runs';

/** Commits of runs and sessions as rows of runs. */
export const RUN_ROWS: RowProjector<RunRow> = {
  name: RUNS_PROJECTION,
  aggregates: ['run', 'session'],
  keysOf: ({ ref: { aggregate, workspace, id }, events }) =>
    aggregate === 'run'
      ? [{ workspace, runId: id }]
      : (events as readonly SessionEvent[])
          .map(admittedBy)
          .filter((runId) => runId !== null)
          .map((runId) => ({ workspace, runId })),
  project: (row, { ref: { aggregate, workspace }, events, revision: sequence }) =>
    aggregate === 'run'
      ? (events as readonly RunEvent[]).reduce<RunRow | undefined>(
          (before, event) => projectRun(before, event, { workspace, sequence }) ?? before,
          row,
        )
      : (events as readonly SessionEvent[]).reduce<RunRow | undefined>(
          (before, event) => projectAdmission(before, event, { workspace, sequence }),
          row,
        ),
};

type PromptRow = Readonly<Pick<RunPromptEntity, keyof RunPromptEntity>>;

/** Keeps the rows of runs, and their prompts beside them. */
export class RunsProjection implements Projection {
  readonly name = RUNS_PROJECTION;
  readonly aggregates = RUN_ROWS.aggregates;
  private readonly rows: TableProjection<RunRow>;
  private readonly prompts: RowTable<PromptRow>;

  constructor({ dataSource }: Pick<Database, 'dataSource'>) {
    const table = new RowTable<RunRow>(dataSource.getMetadata(RunViewEntity));
    this.rows = new TableProjection(RUN_ROWS, table);
    this.prompts = new RowTable(dataSource.getMetadata(RunPromptEntity));
  }

  async write(commits: readonly Commit[], sql: Sql): Promise<number> {
    await this.prompts.upsert(sql, commits.flatMap(promptsIn));
    return this.rows.write(commits, sql);
  }

  async clear(sql: Sql): Promise<void> {
    await this.prompts.clear(sql);
    await this.rows.clear(sql);
  }

  builds(): readonly TableOfBuild[] {
    return [new TableBuild(PROMPT_ROWS, this.prompts), ...this.rows.builds()];
  }
}

const promptsIn = ({ ref, events, revision: sequence }: Commit): readonly PromptRow[] =>
  ref.aggregate === 'run'
    ? (events as readonly RunEvent[])
        .filter((event) => event.type === 'RunSubmitted')
        .map(({ data: { prompt } }) => ({
          workspace: ref.workspace,
          runId: ref.id,
          prompt,
          sequence,
        }))
    : [];

/** The same, for rows that are made anew. */
const PROMPT_ROWS: Pick<RowProjector<PromptRow>, 'keysOf' | 'project'> = {
  keysOf: promptsIn,
  project: (row, commit) => promptsIn(commit).at(-1) ?? row,
};
