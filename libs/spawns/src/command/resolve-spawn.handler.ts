import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { SpawnResolutionAnswer } from '#contracts';
import type { Executed } from '#event-store';
import { metadataOf } from '#hosting';
import { RuleViolation } from '#kernel';
import { idOf } from '#platform';
import type { SpawnEvent, SpawnState } from '../domain/index.js';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import { ResolveSpawnCommand } from './spawn.commands.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';

/** An operator ends the question of an agent that may be alive. What callers were told stays as it is. */
@CommandHandler(ResolveSpawnCommand)
export class ResolveSpawnHandler implements ICommandHandler<ResolveSpawnCommand> {
  constructor(@Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting) {}

  /** @throws RuleViolation `spawn_not_found`, `spawn_not_unknown`, `spawn_agent_not_seen`, `idempotency_conflict`. */
  async execute({
    caller,
    key,
    request,
    trace,
  }: ResolveSpawnCommand): Promise<SpawnResolutionAnswer> {
    const { spawnId, as, note } = request;
    const { workspace, principal } = caller;
    // A resolution creates nothing with an id of its own: its key counts for the spawn that it names.
    const id = idOf(workspace, principal, `resolve-spawn/${spawnId}`, key);
    const resolved = await this.spawns.store.execute(
      SPAWN_AGGREGATE,
      { workspace, id: spawnId },
      {
        type: 'ResolveSpawn',
        spawnId,
        now: this.spawns.clock.now(),
        as,
        note,
        actor: principal,
      },
      {
        commandId: `resolve/${id}`,
        metadata: metadataOf('ResolveSpawn', { actor: principal, ...trace }),
      },
    );
    if (!saysSo(resolved, as, note)) throw new RuleViolation('idempotency_conflict', { spawnId });
    const replayed = resolved.repeated || resolved.events.length === 0;
    return { value: { spawnId, resolution: as }, replayed };
  }
}

/** The key stands for one resolution. Where nothing was written, the same had been said before, under another key. */
const saysSo = (
  { events, repeated }: Executed<SpawnState, SpawnEvent>,
  as: string,
  note: string,
): boolean => {
  if (!repeated && events.length === 0) return true;
  return events.some(
    (event) => event.type === 'SpawnResolved' && event.data.as === as && event.data.note === note,
  );
};
