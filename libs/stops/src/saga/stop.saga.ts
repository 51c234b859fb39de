import type { AggregateStore } from '#event-store';
import { bySagas } from '#hosting';
import type { StopId, WorkspaceId } from '#kernel';
import { STOP_AGGREGATE } from '../command/index.js';
import type { StopTargets } from '../contract/index.js';

/**
 * Carries an accepted stop to its target. Its handler does so too, before it answers: this is for the handler that died
 * between its two appends. From there on the target's own saga sees to it.
 */
export class StopSaga {
  constructor(
    private readonly store: AggregateStore,
    private readonly targets: StopTargets,
  ) {}

  async advance(workspace: WorkspaceId, stopId: StopId): Promise<void> {
    const stop = await this.store.load(STOP_AGGREGATE, workspace, stopId, 'leader');
    const { state } = stop;
    if (state.status === 'none') return;
    const { target, reason, principal } = state.request;
    const { kind, id } = target;
    const order = { id, stopId, reason, principal };
    await this.targets[kind].requestStop(workspace, order, bySagas(stop));
  }
}
