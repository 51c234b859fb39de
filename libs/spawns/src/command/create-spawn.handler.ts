import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { SpawnAnswer } from '#contracts';
import { metadataOf } from '#hosting';
import { bug, type Provenance } from '#kernel';
import { WORKSPACE_KEYS, fingerprint, idOf, type WorkspaceKeys } from '#platform';
import { callerStatusOf } from '../contract/index.js';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import { CreateSpawnCommand } from './spawn.commands.js';
import { SPAWN_ACTION } from './spawn.facts.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';

/** An agent on whichever node fits: accepted here with one append, placed by the sagas. */
@CommandHandler(CreateSpawnCommand)
export class CreateSpawnHandler implements ICommandHandler<CreateSpawnCommand> {
  constructor(
    @Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
  ) {}

  /** @throws RuleViolation `idempotency_conflict`: nothing was changed. */
  async execute({ caller, key, request, asSent, trace }: CreateSpawnCommand): Promise<SpawnAnswer> {
    const { workspace, principal } = caller;
    const spawnId = idOf(workspace, principal, SPAWN_ACTION, key);
    const by: Provenance = { actor: principal, ...trace };
    const { agentName, harness, task, directory = null, capabilities = [] } = request;
    const claimed = await this.spawns.store.execute(
      SPAWN_AGGREGATE,
      { workspace, id: spawnId },
      {
        type: 'ClaimSpawn',
        spawnId,
        now: this.spawns.clock.now(),
        kind: 'generic',
        contract: null,
        principal,
        key,
        fingerprint: fingerprint(this.keys.keyOf(workspace), asSent),
        nodeId: null,
        nodeName: null,
        capabilities,
        agentName,
        harness,
        task,
        directory,
        verifyReady: false,
        epoch: await this.spawns.epochs.epoch(),
        place: null,
      },
      {
        // Each request is a command of its own: what makes two of them one is the spawn's id, and its fingerprint.
        commandId: `claim/${randomUUID()}`,
        metadata: metadataOf('ClaimSpawn', by),
        expectNew: true,
      },
    );
    const { state } = claimed.loaded;
    if (state.status === 'none') throw bug(`spawn ${spawnId} was claimed and is not there`);
    return {
      value: { spawnId, status: callerStatusOf(state.status) },
      replayed: claimed.events.length === 0,
    };
  }
}
