import type { AggregateStore } from '#event-store';
import type { Clock, Epoch, RunId, WorkspaceId } from '#kernel';
import type { ExistingRun } from '../domain/index.js';
import { RUN_AGGREGATE } from './run.aggregate.js';

/** In which epoch the event store is: 1 for a fresh one, one more after each restore. Kept at hand between restores. */
export interface EpochReader {
  epoch(): Promise<Epoch>;
}

/** What every handler of runs needs. */
export class RunWriting {
  constructor(
    readonly store: AggregateStore,
    readonly epochs: EpochReader,
    readonly clock: Clock,
  ) {}

  /** The run; null only when the leader says that there is none. */
  async find(workspace: WorkspaceId, runId: RunId): Promise<ExistingRun | null> {
    const near = await this.store.load(RUN_AGGREGATE, workspace, runId);
    if (near.state.status !== 'none') return near.state;
    const { state } = await this.store.load(RUN_AGGREGATE, workspace, runId, 'leader');
    return state.status === 'none' ? null : state;
  }
}
export const RUN_WRITING = Symbol('RunWriting');
