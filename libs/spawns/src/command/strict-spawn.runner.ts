import type { StrictSpawnAnswer } from '#contracts';
import { NotNow } from '#hosting';
import { RuleViolation, type Provenance, type SpawnId, type WorkspaceId } from '#kernel';
import { isStrictClaim, isUnsent, type ExistingSpawn } from '../domain/index.js';
import type { Left, SpawnMover } from '../saga/index.js';
import type { StrictSpawnDoor } from './strict-spawn.door.js';
import type { SpawnWriting } from './spawn-writing.js';
import { strictSpawnView } from './strict-spawn.view.js';

/** How long a call waits for its spawn to leave, ms. Source: the protocol. */
const INLINE_MS = 500;
/** Between two looks at what somebody else may be moving on, ms. */
const LOOK_AGAIN_MS = 25;

/** How a call waits: tests decide when time passes. */
export interface Patience {
  /** A clock that never goes back, ms. */
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** One call that waits for its spawn. */
export interface Call {
  readonly workspace: WorkspaceId;
  readonly spawnId: SpawnId;
  readonly by: Provenance;
  /** The claim was made by an earlier call under this key. */
  readonly replayed: boolean;
}

/** Moves a claimed strict spawn on within its caller's request, and says where it stands. */
export class StrictSpawnRunner {
  constructor(
    private readonly spawns: SpawnWriting,
    private readonly door: StrictSpawnDoor,
    private readonly mover: SpawnMover,
    private readonly patience: Patience,
  ) {}

  /** What left, or has ended, is answered as it was stored: nothing of its node is looked at. */
  async answer(spawn: ExistingSpawn, call: Call): Promise<StrictSpawnAnswer> {
    if (!isUnsent(spawn)) return answerOf(spawn, call);
    if (!isStrictClaim(spawn))
      throw new RuleViolation('idempotency_conflict', { spawnId: spawn.spawnId });
    if (call.replayed) await this.door.checkUnsent(call.workspace, spawn);
    const left = await this.untilSent(call);
    if (!isUnsent(left.spawn.state)) return answerOf(left.spawn.state, call);
    // What is wrong with its node now is told as such; else that the first call has not come to an end.
    await this.door.checkUnsent(call.workspace, left.spawn.state);
    if (spawn.request.verifyReady) await this.door.checkReady(call.workspace, left.spawn.state);
    if (call.replayed || spawn.request.verifyReady)
      throw new NotNow(
        'idempotency_unavailable',
        'the first call under this key has not come to an end yet; ask again with the same key',
      );
    return { value: strictSpawnView(left.spawn.state, left.next), replayed: false };
  }

  /** The creating call knows at once what it has to wait for; later ones wait for whoever moves it on. */
  private async untilSent(call: Call): Promise<Left> {
    const { nowMs, pause } = this.patience;
    const deadline = nowMs() + INLINE_MS;
    for (;;) {
      const left = await this.moveOn(call);
      const isOver = !isUnsent(left.spawn.state) || nowMs() >= deadline;
      if (isOver || !call.replayed) return left;
      await pause(LOOK_AGAIN_MS);
    }
  }

  private async moveOn({ workspace, spawnId, by }: Call): Promise<Left> {
    try {
      const left = await this.mover.move(workspace, spawnId, {
        by: () => by,
        callerAsks: true,
        isEnough: (spawn) => !isUnsent(spawn),
      });
      if (left === null) throw new Error(`bug: spawn ${spawnId} was claimed and is not there`);
      return left;
    } catch (problem) {
      // Whatever went wrong, what was committed counts: a dispatch whose sending is unknown is a dispatch.
      const { state, ...loaded } = await this.spawns.load(workspace, spawnId);
      if (state.status === 'none' || isUnsent(state)) throw problem;
      return { spawn: { ...loaded, state }, next: { kind: 'nothing' } };
    }
  }
}

const answerOf = (spawn: ExistingSpawn, { replayed }: Call): StrictSpawnAnswer => ({
  value: strictSpawnView(spawn),
  replayed,
});
