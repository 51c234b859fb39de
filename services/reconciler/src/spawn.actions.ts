import type { RequestClient } from '#nats';
import type { OpenSpawn, SpawnFindingActions } from '#spawns/reconcile';

/** Hands spawns on to their saga. */
export class NatsSpawnActions implements SpawnFindingActions {
  /** @param timeoutMs a saga may ask a node several times before it answers. */
  constructor(
    private readonly requests: Pick<RequestClient, 'request'>,
    private readonly timeoutMs: number,
    private readonly onProblem: (problem: unknown, spawn: OpenSpawn) => void,
  ) {}

  async advance(spawn: OpenSpawn): Promise<void> {
    const body = { workspace: spawn.workspace, id: spawn.spawnId, doubt: null };
    const answer = await this.requests.request('hf.cmd.spawns.advance', body, {
      timeoutMs: this.timeoutMs,
    });
    // Not lost: what still needs a step is found again.
    if (answer.kind !== 'answer') this.onProblem(answer, spawn);
  }
}
