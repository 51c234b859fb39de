import { Contended, RevisionConflict, type Loaded } from '#event-store';
import {
  RuleViolation,
  type Instant,
  type Provenance,
  type SpawnId,
  type Step,
  type WorkspaceId,
} from '#kernel';
import { ExpiringCache } from '#platform';
import { tracing, type SpanInfo } from '#tracing';
import { generationOf, type ExistingSpawn, type SpawnState } from '../domain/index.js';
import type { NextGeneric } from './generic-spawn.port.js';
import { performSpawnStep, type StepContext } from './spawn.perform.js';
import type { LoadedSpawn, SpawnPorts } from './spawn.ports.js';
import type { SpawnContext, SpawnStep, SpawnWindows } from './spawn.step.js';
import { surroundingsOf } from './spawn.surroundings.js';
import { nextStrictSpawn } from './strict-spawn.next.js';

/** Who moves a spawn on, and how far. */
export interface Move {
  /** Who makes the commits; they belong to the trace of `by`, or of the spawn. */
  readonly by: (spawn: LoadedSpawn) => Provenance;
  /** Its caller is waiting for the answer. */
  readonly callerAsks: boolean;
  /** No further step is taken of a spawn of which this is true. */
  readonly isEnough?: (spawn: ExistingSpawn) => boolean;
  /** Told of each revision that the move goes on from. */
  readonly saw?: (revision: number) => void;
}

/** Where a move left a spawn, and what is next for it. */
export interface Left {
  readonly spawn: LoadedSpawn;
  readonly next: Step<SpawnStep>;
}

/** How often one move looks again, whatever others do meanwhile. Source: the protocol's bound for decisions. */
const LOOKS_MAX = 16;
/** What this process remembers of spawns: entries, and for how long, ms. Forgetting costs a question or a publish. */
const REMEMBERED = { max: 10_000, ms: 3_600_000 };

/**
 * Moves spawns on: loads from the leader, asks for the next step, performs that one, and looks again until there is nothing
 * to do now. The handler of a call, an event, the reconciler and a restart all come in here.
 */
export class SpawnMover {
  private readonly published: ExpiringCache<true>;
  private readonly asked: ExpiringCache<Instant>;

  /** @param generic the next step of a spawn that is not bound to one node; null where none are moved on. */
  constructor(
    private readonly ports: SpawnPorts,
    private readonly windows: SpawnWindows,
    private readonly generic: NextGeneric | null = null,
  ) {
    const now = (): Instant => ports.clock.now();
    this.published = new ExpiringCache(REMEMBERED.max, REMEMBERED.ms, now);
    this.asked = new ExpiringCache(REMEMBERED.max, REMEMBERED.ms, now);
  }

  /**
   * @returns null when there is no such spawn.
   * @throws Contended others kept changing it.
   */
  async move(workspace: WorkspaceId, spawnId: SpawnId, move: Move): Promise<Left | null> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const spawn = await this.ports.spawns.load(workspace, spawnId);
      move.saw?.(spawn.revision);
      if (!exists(spawn)) return null;
      const context = await this.contextOf(spawn, move.callerAsks);
      const next = await this.nextOf(spawn, context);
      if (next.kind !== 'take' || move.isEnough?.(spawn.state) === true) return { spawn, next };
      try {
        const performed = await this.perform(spawn, next.step, { ...context, by: move.by(spawn) });
        if (performed.kind === 'asked')
          return { spawn, next: await this.nextOf(spawn, { ...context, ...this.memoryOf(spawn) }) };
      } catch (error) {
        // Somebody else was first, on the spawn or on its node: look again.
        if (!(error instanceof RevisionConflict) && !(error instanceof RuleViolation)) throw error;
      }
    }
    throw new Contended(keyOf(workspace, spawnId), LOOKS_MAX, { cause: undefined });
  }

  private async contextOf(spawn: LoadedSpawn, callerAsks: boolean): Promise<FullContext> {
    const surroundings = await surroundingsOf(spawn, this.ports);
    return { ...surroundings, ...this.memoryOf(spawn), callerAsks, windows: this.windows };
  }

  /** What this process has done about it, and when. */
  private memoryOf(
    spawn: LoadedSpawn,
  ): Pick<SpawnContext, 'now' | 'framePublished' | 'lastAskedAt'> {
    const key = generationKey(spawn);
    return {
      now: this.ports.clock.now(),
      framePublished: this.published.get(key) === true,
      lastAskedAt: this.asked.get(key) ?? null,
    };
  }

  private async nextOf(spawn: LoadedSpawn, context: FullContext): Promise<Step<SpawnStep>> {
    switch (spawn.state.request.kind) {
      case 'strict':
        return nextStrictSpawn(spawn.state, context);
      case 'generic':
        return this.generic === null
          ? { kind: 'wait', waitsFor: 'the sagas to place it' }
          : this.generic.next(spawn, context);
    }
  }

  private async perform(spawn: LoadedSpawn, step: SpawnStep, context: StepContext) {
    const performed = await tracing.within(spanOf(spawn, step), () =>
      performSpawnStep(spawn, step, context, this.ports),
    );
    const key = generationKey(spawn);
    if (ASKS.has(step.kind)) this.asked.set(key, this.ports.clock.now());
    if (step.kind === 'publishFrame') this.published.set(key, true);
    if (step.kind === 'dispatch') this.published.set(nextGenerationKey(spawn), true);
    return performed;
  }
}

type FullContext = SpawnContext & { readonly lastHeardAt: Instant | null };

/** A spawn is moved on in its own trace, whatever woke it. */
const spanOf = ({ ref, state, trace }: LoadedSpawn, { kind }: SpawnStep): SpanInfo => ({
  name: `step ${kind}`,
  continues: trace,
  facts: {
    'holdfast.step': kind,
    'holdfast.workspace': ref.workspace,
    'holdfast.id': ref.id,
    'holdfast.generation': state.dispatch?.generation ?? 0,
  },
});

/** After these, whatever the answer, the node is left in peace for a while. */
const ASKS: ReadonlySet<SpawnStep['kind']> = new Set(['ask', 'sendStop']);

const exists = (spawn: Loaded<SpawnState>): spawn is LoadedSpawn => spawn.state.status !== 'none';

const keyOf = (workspace: WorkspaceId, spawnId: SpawnId): string => `${workspace}/${spawnId}`;

const generationKey = (spawn: LoadedSpawn): string =>
  `${keyOf(spawn.ref.workspace, spawn.ref.id)}/${String(generationOf(spawn.state))}`;

const nextGenerationKey = ({ ref, state }: LoadedSpawn): string =>
  `${keyOf(ref.workspace, ref.id)}/${String((state.dispatch?.generation ?? 0) + 1)}`;
