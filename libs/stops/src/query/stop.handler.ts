import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { StopView } from '#contracts';
import { EVENT_STORE, type EventStore } from '#event-store';
import { RuleViolation, fold, type StopId, type WorkspaceId } from '#kernel';
import { RUN_LOOKUP, type RunLookup } from '#runs/contract';
import { AGENT_STOPS, type AgentStops } from '#spawns/contract';
import { STOP, type StopEvent, type StopRequested, type StopState } from '../domain/index.js';
import { agentStopOutcome } from './agent-stop-outcome.js';
import { stopOutcome } from './stop-outcome.js';
import { GetStop } from './stop.queries.js';

@QueryHandler(GetStop)
export class GetStopHandler implements IQueryHandler<GetStop> {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(RUN_LOOKUP) private readonly runs: RunLookup,
    @Inject(AGENT_STOPS) private readonly agents: AgentStops,
  ) {}

  /** @throws RuleViolation `stop_not_found` */
  async execute({ workspace, stopId }: GetStop): Promise<StopView> {
    const stop = await this.load(workspace, stopId);
    if (stop.status === 'none')
      throw new RuleViolation('stop_not_found', { stopId }, 'there is no such stop');
    const { target, reason, principal, at } = stop.request;
    return {
      stopId,
      target: { kind: target.kind, id: target.id },
      reason,
      requestedBy: principal,
      requestedAt: new Date(at).toISOString(),
      ...(await this.outcomeOf(workspace, stop.request)),
    };
  }

  private async outcomeOf(
    workspace: WorkspaceId,
    { stopId, target, at }: StopRequested['data'],
  ): Promise<ReturnType<typeof stopOutcome>> {
    const { kind, id } = target;
    switch (kind) {
      case 'run':
        return stopOutcome(stopId, await this.runs.stopEvidenceOf(workspace, id));
      case 'agent':
        return agentStopOutcome(at, await this.agents.stopEvidenceOf(workspace, id));
    } // No default: a new kind of target does not compile until it can be told what became of its stop.
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
