import { metadataOf } from '#hosting';
import type { Provenance, RunId, WorkspaceId } from '#kernel';
import type { RunForSession, RunsForSessions, StoppableRuns } from '../contract/index.js';
import { isOver } from '../domain/index.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import type { RunWriting } from './run-writing.js';

/** Runs, for the slices that rest on them. */
export class StoredRuns implements RunsForSessions, StoppableRuns {
  constructor(private readonly runs: RunWriting) {}

  async read(workspace: WorkspaceId, runId: RunId): Promise<RunForSession> {
    const { state } = await this.runs.store.load(RUN_AGGREGATE, workspace, runId, 'leader');
    if (state.status === 'none')
      return { runId, sessionId: '', agent: '', exists: false, over: false };
    const { sessionId, agent } = state.submission;
    return { runId, sessionId, agent, exists: true, over: isOver(state) };
  }

  async exists(workspace: WorkspaceId, runId: RunId): Promise<boolean> {
    return (await this.runs.find(workspace, runId)) !== null;
  }

  async requestStop(
    workspace: WorkspaceId,
    stop: Parameters<StoppableRuns['requestStop']>[1],
    by: Provenance,
  ): Promise<void> {
    await this.runs.store.execute(
      RUN_AGGREGATE,
      { workspace, id: stop.runId },
      {
        type: 'RequestRunStop',
        ...stop,
        now: this.runs.clock.now(),
        epoch: await this.runs.epochs.epoch(),
      },
      // One stop is recorded on a run once, whoever carries it there: its handler, or a saga after a crash.
      { commandId: `stop/${stop.stopId}`, metadata: metadataOf('RequestRunStop', by) },
    );
  }
}
