import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { StrictSpawnAnswer } from '#contracts';
import { RuleViolation } from '#kernel';
import { idOf } from '#platform';
import type { ExistingSpawn } from '../domain/index.js';
import { ReplaySpawnCommand } from './spawn.commands.js';
import { SPAWN_ACTION, repeatedFacts } from './spawn.facts.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';
import { STRICT_SPAWNS, type StrictSpawns } from './strict-spawns.js';

/** What became of the call under this key. It never makes work that is missing; it moves on what certainly has not left. */
@CommandHandler(ReplaySpawnCommand)
export class ReplaySpawnHandler implements ICommandHandler<ReplaySpawnCommand> {
  constructor(
    @Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting,
    @Inject(STRICT_SPAWNS) private readonly strict: StrictSpawns,
  ) {}

  /**
   * @throws RuleViolation `invocation_not_found`: of another caller's key as of none. `idempotency_conflict`, and what keeps a
   *   claim that has not left from its node.
   * @throws NotNow `idempotency_unavailable`, `node_offline`, `node_not_ready`
   */
  async execute(command: ReplaySpawnCommand): Promise<StrictSpawnAnswer> {
    const { caller, key, trace } = command;
    const { workspace, principal } = caller;
    const spawnId = idOf(workspace, principal, SPAWN_ACTION, key);
    const spawn = await this.spawns.find(workspace, spawnId);
    if (spawn === null)
      throw new RuleViolation('invocation_not_found', {}, 'nothing was called under this key');
    checkSame(spawn, command);
    const by = { actor: principal, ...trace };
    return this.strict.runner.answer(spawn, { workspace, spawnId, by, replayed: true });
  }
}

const checkSame = ({ request, spawnId }: ExistingSpawn, { request: sent }: ReplaySpawnCommand) => {
  const facts = Object.entries(repeatedFacts(sent));
  const isSame = facts.every(([name, fact]) => request[name as keyof typeof request] === fact);
  if (request.kind !== 'strict' || !isSame)
    throw new RuleViolation('idempotency_conflict', { spawnId });
};
