import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SPAWNED_AGENTS, type SpawnedAgents } from '#agents/contract';
import type { ReportAnswer, SpawnReport } from '#contracts';
import { metadataOf, nodeActor } from '#hosting';
import type { Instant, Provenance } from '#kernel';
import {
  generationOf,
  isUnknown,
  type ExistingSpawn,
  type ReportAgentEnded,
  type ReportAgentNotStarted,
  type ReportAgentStarted,
} from '../domain/index.js';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import { ReportSpawnCommand } from './spawn.commands.js';
import { spawnCommandOfNode } from './spawn-of-node.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';

/**
 * Records what a node knows of an agent: what it means for the spawn, then what it says of the agent. A report that is no
 * news is answered as recorded all the same; whoever dies between the two is told again by the node.
 */
@CommandHandler(ReportSpawnCommand)
export class ReportSpawnHandler implements ICommandHandler<ReportSpawnCommand> {
  constructor(
    @Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting,
    @Inject(SPAWNED_AGENTS) private readonly agents: SpawnedAgents,
  ) {}

  /** @throws RuleViolation `spawn_not_found`, `spawn.foreign_node`: nobody will ever record it. */
  async execute({ workspace, node, report, trace }: ReportSpawnCommand): Promise<ReportAnswer> {
    const by: Provenance = { actor: nodeActor(workspace, node), ...trace };
    const command = commandOf(report, this.spawns.clock.now());
    const reported = await this.spawns.store.execute(
      SPAWN_AGGREGATE,
      { workspace, id: report.spawnId },
      spawnCommandOfNode(node, command),
      {
        // The same may be news again when more is known: the decider drops what is recorded already.
        commandId: `report/${report.kind}/${String(report.generation)}/${randomUUID()}`,
        metadata: metadataOf(command.type, by),
      },
    );
    const { state } = reported.loaded;
    if (state.status !== 'none') await this.tellAgent({ workspace, node, report }, state, by);
    return { recorded: reported.events.length > 0 };
  }

  private async tellAgent(
    { workspace, node, report }: Pick<ReportSpawnCommand, 'workspace' | 'node' | 'report'>,
    spawn: ExistingSpawn,
    by: Provenance,
  ): Promise<void> {
    if (!hasAgent(spawn, report)) return;
    const { spawnId, request } = spawn;
    const { agentName: name, harness } = request;
    const agent = { spawnId, name, harness, node };
    switch (report.kind) {
      case 'started':
        return this.agents.started(workspace, agent, by);
      case 'ended':
        return this.agents.ended(workspace, agent, report.evidence, by);
      case 'not-started':
        // It was told of as started, and still waited behind its shim: what never ran lives no more.
        return this.agents.ended(workspace, agent, report.proof, by);
    }
  }
}

/** The agent that is spoken of is this spawn's, by the journal that started it, or may have. */
const hasAgent = (spawn: ExistingSpawn, { kind, generation, journalId }: SpawnReport): boolean => {
  const hasOne = spawn.status === 'completed' || (isUnknown(spawn) && kind !== 'not-started');
  const speaks = spawn.holder === null || spawn.holder.journalId === journalId;
  return hasOne && speaks && generation >= generationOf(spawn);
};

const commandOf = (
  report: SpawnReport,
  now: Instant,
): ReportAgentStarted | ReportAgentEnded | ReportAgentNotStarted => {
  const { spawnId, generation, journalId, incarnation } = report;
  const base = { spawnId, generation, journalId, incarnation, now };
  switch (report.kind) {
    case 'not-started': {
      const { disproves, proof } = report;
      return { type: 'ReportAgentNotStarted', ...base, disproves, proof };
    }
    case 'started': {
      const { evidence, workerCwd } = report;
      return { type: 'ReportAgentStarted', ...base, evidence, workerCwd };
    }
    case 'ended': {
      const { evidence, workerCwd } = report;
      return { type: 'ReportAgentEnded', ...base, evidence, workerCwd };
    }
  }
};
