import { Inject, Injectable } from '@nestjs/common';
import type { AgentLifeEvent } from '#agents/contract';
import { EVENT_STORE, type EventStore } from '#event-store';
import type { SpawnId, WorkspaceId } from '#kernel';
import type { AgentStopEvidence, AgentStops } from '../contract/index.js';
import type { SpawnEvent } from '../domain/index.js';
import { SpawnReader } from './spawn-reader.js';

/** What has become of the stops of agents, as their streams say. */
@Injectable()
export class ReadAgentStops implements AgentStops {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(SpawnReader) private readonly spawns: SpawnReader,
  ) {}

  async stopEvidenceOf(
    workspace: WorkspaceId,
    spawnId: SpawnId,
  ): Promise<AgentStopEvidence | undefined> {
    const [commits, ofAgent] = await Promise.all([
      this.spawns.commits(workspace, spawnId),
      this.store.read(
        { aggregate: 'agent', workspace, id: spawnId },
        { consistency: 'leader', ignoreSnapshots: true },
      ),
    ]);
    if (commits.length === 0) return undefined;
    const stop = commits
      .flatMap(({ events }) => events as readonly SpawnEvent[])
      .find((event) => event.type === 'SpawnAgentStopRequested');
    const end = ofAgent
      .flatMap(({ events }) => events as readonly AgentLifeEvent[])
      .find((event) => event.type === 'AgentEnded');
    return {
      stopId: stop?.data.stopId ?? null,
      ended: end === undefined ? null : { proof: end.data.reason, at: end.data.at },
    };
  }
}
