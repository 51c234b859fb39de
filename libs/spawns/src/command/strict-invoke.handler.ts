import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { StrictSpawnAnswer } from '#contracts';
import type { StrictInvokeRequest } from '#contracts/requests';
import { metadataOf } from '#hosting';
import { RuleViolation, type Provenance } from '#kernel';
import { WORKSPACE_KEYS, fingerprint, idOf, type WorkspaceKeys } from '#platform';
import type { ClaimSpawn } from '../domain/index.js';
import { newPlacementToken } from '../saga/index.js';
import { SPAWN_AGGREGATE } from './spawn.aggregate.js';
import { StrictInvokeCommand } from './spawn.commands.js';
import { SPAWN_ACTION, boundFacts } from './spawn.facts.js';
import { SPAWN_WRITING, type SpawnWriting } from './spawn-writing.js';
import { STRICT_SPAWNS, type StrictSpawns } from './strict-spawns.js';

/**
 * One agent on the node that is named, or nothing. The key is claimed first, with the place in the same commit; then the
 * spawn is moved on within the request, and whatever a crash leaves is moved on by the sagas.
 */
@CommandHandler(StrictInvokeCommand)
export class StrictInvokeHandler implements ICommandHandler<StrictInvokeCommand> {
  constructor(
    @Inject(SPAWN_WRITING) private readonly spawns: SpawnWriting,
    @Inject(STRICT_SPAWNS) private readonly strict: StrictSpawns,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
  ) {}

  /**
   * @throws RuleViolation `agent_token_required`, `node_not_found`, `node_target_mismatch`, `node_capability_missing`: nothing
   *   was written. `idempotency_conflict`: nothing was changed.
   * @throws NotNow `node_offline`, `node_not_ready`, `idempotency_unavailable`
   */
  async execute(command: StrictInvokeCommand): Promise<StrictSpawnAnswer> {
    const { caller, key, request, trace } = command;
    const { workspace, principal } = caller;
    const spawnId = idOf(workspace, principal, SPAWN_ACTION, key);
    const claim = await this.claimOf(command, spawnId);
    const known = await this.spawns.find(workspace, spawnId);
    if (known === null) await this.strict.door.checkNew(workspace, spawnId, claim);
    const by: Provenance = { actor: principal, ...trace };
    const claimed = await this.spawns.store.execute(
      SPAWN_AGGREGATE,
      { workspace, id: spawnId },
      claim,
      {
        // Each request is a command of its own: what makes two of them one is the spawn's id, and its fingerprint.
        commandId: `claim/${randomUUID()}`,
        metadata: metadataOf('ClaimSpawn', by),
        expectNew: known === null,
      },
    );
    const { state } = claimed.loaded;
    if (state.status === 'none')
      throw new RuleViolation('spawn_not_found', { spawnId, node: request.node_id });
    const replayed = claimed.events.length === 0;
    return this.strict.runner.answer(state, { workspace, spawnId, by, replayed });
  }

  private async claimOf(
    { caller, key, request }: StrictInvokeCommand,
    spawnId: string,
  ): Promise<ClaimSpawn> {
    const now = this.spawns.clock.now();
    const facts = boundFacts(request);
    return {
      type: 'ClaimSpawn',
      spawnId,
      now,
      kind: 'strict',
      ...facts,
      principal: caller.principal,
      key,
      fingerprint: this.fingerprintOf(caller.workspace, request),
      capabilities: [],
      epoch: await this.spawns.epochs.epoch(),
      place: { token: newPlacementToken(), until: now + this.strict.reservationMs },
    };
  }

  /** Of what is bound, in whatever form it was sent: where its agent came to work is not. */
  private fingerprintOf(workspace: string, request: StrictInvokeRequest): string {
    return fingerprint(this.keys.keyOf(workspace), boundFacts(request));
  }
}
