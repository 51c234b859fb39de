import { metadataOf } from '#hosting';
import { RuleViolation, type Provenance, type RunId, type WorkspaceId } from '#kernel';
import type { StopOrder, Stoppable } from '#stops/contract';
import type { RunForSession, RunsForSessions } from '../contract/index.js';
import { isOver } from '../domain/index.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import type { RunWriting } from './run-writing.js';

/** Runs, for the slices that rest on them. */
export class StoredRuns implements RunsForSessions, Stoppable {
  constructor(private readonly runs: RunWriting) {}

  async read(workspace: WorkspaceId, runId: RunId): Promise<RunForSession> {
    const { state } = await this.runs.store.load(RUN_AGGREGATE, workspace, runId, 'leader');
    if (state.status === 'none')
      return { runId, sessionId: '', agent: '', exists: false, over: false };
    const { sessionId, agent } = state.submission;
    return { runId, sessionId, agent, exists: true, over: isOver(state) };
  }

  async check(workspace: WorkspaceId, runId: RunId): Promise<void> {
    if ((await this.runs.find(workspace, runId)) === null)
      throw new RuleViolation('run_not_found', { runId }, 'there is no such run');
  }

  async requestStop(
    workspace: WorkspaceId,
    { id: runId, ...stop }: StopOrder,
    by: Provenance,
  ): Promise<void> {
    await this.runs.store.execute(
      RUN_AGGREGATE,
      { workspace, id: runId },
      {
        type: 'RequestRunStop',
        runId,
        ...stop,
        now: this.runs.clock.now(),
        epoch: await this.runs.epochs.epoch(),
      },
      // One stop is recorded on a run once, whoever carries it there: its handler, or a saga after a crash.
      { commandId: `stop/${stop.stopId}`, metadata: metadataOf('RequestRunStop', by) },
    );
  }
}
