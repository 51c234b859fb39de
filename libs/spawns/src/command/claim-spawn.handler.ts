import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ClaimAnswer } from '#contracts';
import { metadataOf, nodeActor } from '#hosting';
import { RuleViolation } from '#kernel';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import { ClaimSpawnCommand } from './spawn.commands.js';
import { spawnCommandOfNode } from './spawn-of-node.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';

/**
 * May this incarnation start this agent? Granted is only what an acknowledged append, or a look at the leader, shows; a
 * store that can't be asked is an error, which proves nothing, and the node asks again.
 */
@CommandHandler(ClaimSpawnCommand)
export class ClaimSpawnHandler implements ICommandHandler<ClaimSpawnCommand> {
  constructor(@Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting) {}

  async execute({ workspace, node, request, trace }: ClaimSpawnCommand): Promise<ClaimAnswer> {
    const { spawnId, generation } = request;
    const now = this.spawns.clock.now();
    const epoch = await this.spawns.epochs.epoch();
    try {
      await this.spawns.store.execute(
        SPAWN_AGGREGATE,
        { workspace, id: spawnId },
        spawnCommandOfNode(node, { type: 'ClaimSpawnFrame', now, epoch, ...request }),
        {
          // Not kept over repeats: a claim that is asked for again is decided again.
          commandId: `claim-frame/${String(generation)}/${randomUUID()}`,
          metadata: metadataOf('ClaimSpawnFrame', { actor: nodeActor(workspace, node), ...trace }),
        },
      );
      return { claim: 'granted' };
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      return { claim: 'refused', reason: error.code };
    }
  }
}
