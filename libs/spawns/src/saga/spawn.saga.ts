import type { Commit } from '#event-store';
import { HintTimers, KeyedAdvances, bySagas, type Saw } from '#hosting';
import type { Clock, SpawnId, WorkspaceId } from '#kernel';
import type { NodeSlots } from '#nodes/contract';
import type { SpawnEvent } from '../domain/index.js';
import type { SpawnMover } from './spawn.mover.js';

/**
 * How long whoever accepted a claim may move it on alone, ms: its handler does so before it answers. Source: the protocol's
 * bound for that, and room for a busy machine.
 */
const HANDLER_MS = 1_000;

/** Moves spawns on after their events, after those of their agents, when their time is up, and when it is asked to. */
export class SpawnSaga {
  private readonly advances: KeyedAdvances<null, null>;
  private readonly hints: HintTimers;

  /** @param onProblem told when a hint of this process led to nothing; the reconciler finds what is due. */
  constructor(
    private readonly mover: SpawnMover,
    private readonly slots: Pick<NodeSlots, 'holders'>,
    private readonly clock: Clock,
    onProblem: (problem: unknown, spawn: string) => void,
  ) {
    this.advances = new KeyedAdvances(
      (key, _demand, saw) => this.moveOn(key, saw),
      () => null,
    );
    this.hints = new HintTimers((key) => {
      const [workspace = '', spawnId = ''] = key.split('/');
      this.advance(workspace, spawnId).catch((problem: unknown) => {
        onProblem(problem, key);
      });
    });
  }

  /** After a commit of a spawn. What its handler still moves on is left to it for a while; the reconciler finds it too. */
  async onCommit({ ref, events, revision }: Commit): Promise<void> {
    const key = keyOf(ref.workspace, ref.id);
    if (events.some((event) => isStrictClaim(event as SpawnEvent))) {
      this.hints.set(key, HANDLER_MS);
      return;
    }
    this.hints.cancel(key);
    await this.advances.advance(key, null, revision);
  }

  /** After a commit of an agent: one that has ended gives its place back. Most agents are nobody's spawn. */
  async onAgent({ ref, events }: Commit): Promise<void> {
    if (events.some(({ type }) => type === 'AgentEnded')) await this.advance(ref.workspace, ref.id);
  }

  /** After a commit of a node: with another journal it knows nothing any more of the agents that it had started. */
  async onNode({ ref, events }: Commit): Promise<void> {
    if (!events.some(({ type }) => type === 'NodeJournalReplaced' || type === 'NodeLeft')) return;
    for (const spawnId of await this.slots.holders(ref.workspace, ref.id))
      await this.advance(ref.workspace, spawnId);
  }

  async advance(workspace: WorkspaceId, spawnId: SpawnId): Promise<void> {
    await this.advances.advance(keyOf(workspace, spawnId), null, Infinity);
  }

  /** Forgets the hints, and waits for what is under way. */
  async stop(): Promise<void> {
    this.hints.clear();
    await this.advances.settled();
  }

  private async moveOn(key: string, saw: Saw): Promise<null> {
    const [workspace = '', spawnId = ''] = key.split('/');
    const left = await this.mover.move(workspace, spawnId, {
      by: bySagas,
      callerAsks: false,
      saw,
    });
    if (left?.next.kind === 'lookAgainAt') this.hints.set(key, left.next.at - this.clock.now());
    return null;
  }
}

const keyOf = (workspace: WorkspaceId, spawnId: SpawnId): string => `${workspace}/${spawnId}`;

const isStrictClaim = (event: SpawnEvent): boolean =>
  event.type === 'SpawnClaimed' && event.data.kind === 'strict';
