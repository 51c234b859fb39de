import { metadataOf } from '#hosting';
import { RuleViolation, type Provenance, type WorkspaceId } from '#kernel';
import type { StopOrder, Stoppable } from '#stops/contract';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import type { SpawnWriting } from './spawn-writing.js';

/** Agents that spawns started, for whoever wants one to end: known by their spawn's id. */
export class StoppableAgents implements Stoppable {
  constructor(private readonly spawns: SpawnWriting) {}

  async check(workspace: WorkspaceId, spawnId: string): Promise<void> {
    const spawn = await this.spawns.find(workspace, spawnId);
    if (spawn === null)
      throw new RuleViolation('spawn_not_found', { spawnId }, 'there is no such spawn');
    if (spawn.status !== 'completed')
      throw new RuleViolation(
        'spawn_has_no_agent',
        { spawnId, status: spawn.status },
        'the spawn has no agent that could be stopped',
      );
  }

  async requestStop(
    workspace: WorkspaceId,
    { id: spawnId, stopId, reason, principal }: StopOrder,
    by: Provenance,
  ): Promise<void> {
    await this.spawns.store.execute(
      SPAWN_AGGREGATE,
      { workspace, id: spawnId },
      {
        type: 'RequestAgentStop',
        spawnId,
        now: this.spawns.clock.now(),
        stopId,
        reason,
        principal,
      },
      // One stop is recorded on a spawn once, whoever carries it there: its handler, or a saga after a crash.
      { commandId: `stop/${stopId}`, metadata: metadataOf('RequestAgentStop', by) },
    );
  }
}
