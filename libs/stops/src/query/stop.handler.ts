import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { StopView } from '#contracts';
import { EVENT_STORE, type EventStore } from '#event-store';
import { RuleViolation, fold, type StopId, type WorkspaceId } from '#kernel';
import { RUN_LOOKUP, type RunLookup } from '#runs/contract';
import { STOP, type StopEvent, type StopState } from '../domain/index.js';
import { stopOutcome } from './stop-outcome.js';
import { GetStop } from './stop.queries.js';

@QueryHandler(GetStop)
export class GetStopHandler implements IQueryHandler<GetStop> {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(RUN_LOOKUP) private readonly runs: RunLookup,
  ) {}

  /** @throws RuleViolation `stop_not_found` */
  async execute({ workspace, stopId }: GetStop): Promise<StopView> {
    const stop = await this.load(workspace, stopId);
    if (stop.status === 'none')
      throw new RuleViolation('stop_not_found', { stopId }, 'there is no such stop');
    const { target, reason, principal, at } = stop.request;
    const run = await this.runs.stopEvidenceOf(workspace, target.id);
    return {
      stopId,
      target: { kind: target.kind, id: target.id },
      reason,
      requestedBy: principal,
      requestedAt: new Date(at).toISOString(),
      ...stopOutcome(stopId, run),
    };
  }

  /** One that was accepted just now is looked for at the leader before it is missed. */
  private async load(workspace: WorkspaceId, stopId: StopId): Promise<StopState> {
    const ref = { aggregate: STOP.aggregate, workspace, id: stopId };
    const near = await this.store.read(ref, { consistency: 'any' });
    const commits = near.length > 0 ? near : await this.store.read(ref, { consistency: 'leader' });
    const events = commits.flatMap((commit) => commit.events as readonly StopEvent[]);
    return fold(
      (state: StopState, event: StopEvent) => STOP.evolve(state, event),
      STOP.initialState(stopId),
      events,
    );
  }
}
