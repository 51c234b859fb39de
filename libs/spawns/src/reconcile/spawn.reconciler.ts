import type { Clock, Instant } from '#kernel';
import type { OpenSpawn, OpenSpawns } from './open-spawns.js';

/** The name of the lock that makes one reconciler of spawns the active one. */
export const SPAWNS_SWEEP = 'reconcile-spawns';

/** What is done about a spawn that may need a step. */
export interface SpawnFindingActions {
  /** Asks the sagas to look at it. Settles when they have, or could not be asked; never throws. */
  advance(spawn: OpenSpawn): Promise<void>;
}

/** What one pass did. */
export interface SpawnPass {
  readonly looked: number;
  readonly advanced: number;
  /** Spawns that were left for the next pass. */
  readonly remaining: number;
}

/** Rows of one page, and pages of one pass. */
const PAGE = 100;
const PAGES_MAX = 100;
/** Spawns that are followed at a time: each may wait for a node's answer. */
const FOLLOWED_MAX = 64;

/**
 * Finds spawns that may need a step: that wait for their node, whose time may be up, or whose place is held although they
 * have ended. What is found is only ever a question to the spawn's own stream.
 */
export class SpawnReconciler {
  readonly #following = new Set<string>();
  /** When each was handed on last. A memory of this process: after a take-over all are handed on once more. */
  readonly #advancedAt = new Map<string, Instant>();
  /** After which spawn the next pass begins; null = with the first one. */
  #from: OpenSpawn | null = null;

  /** @param repeatMs how often the same spawn is handed on. */
  constructor(
    private readonly spawns: OpenSpawns,
    private readonly actions: SpawnFindingActions,
    private readonly clock: Clock,
    private readonly repeatMs: number,
  ) {}

  /**
   * One pass. What it hands on may still be followed when it settles; the next pass leaves that alone, and begins where this
   * one was too busy to go on: nobody waits for ever behind those with lower ids.
   */
  async pass(): Promise<SpawnPass> {
    const now = this.clock.now();
    const counts = { looked: 0, advanced: 0, remaining: 0 };
    const seen = new Set<string>();
    let before: OpenSpawn | null = this.#from;
    let refusedAfter: OpenSpawn | null | undefined;
    for await (const spawn of this.#rows()) {
      counts.looked += 1;
      seen.add(keyOf(spawn));
      if (this.#isDue(spawn, now)) {
        if (this.#follow(spawn, now)) counts.advanced += 1;
        else {
          counts.remaining += 1;
          refusedAfter ??= before;
        }
      }
      before = spawn;
    }
    this.#from = refusedAfter ?? null;
    for (const key of this.#advancedAt.keys()) if (!seen.has(key)) this.#advancedAt.delete(key);
    return counts;
  }

  /** Each open spawn once, from where the last pass was too busy to the end, and then those before it. */
  async *#rows(): AsyncGenerator<OpenSpawn> {
    const from = this.#from;
    let after = from;
    let isWrapped = from === null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const rows: readonly OpenSpawn[] = await this.spawns.page({ after, limit: PAGE });
      for (const spawn of rows) {
        if (isWrapped && from !== null && isAfter(spawn, from)) return;
        yield spawn;
      }
      after = rows.at(-1) ?? null;
      if (rows.length === PAGE) continue;
      if (isWrapped) return;
      isWrapped = true;
      after = null;
    }
  }

  #isDue(spawn: OpenSpawn, now: Instant): boolean {
    const key = keyOf(spawn);
    if (this.#following.has(key)) return false;
    return now - (this.#advancedAt.get(key) ?? -Infinity) >= this.repeatMs;
  }

  /** @returns false when too many are being followed already. */
  #follow(spawn: OpenSpawn, now: Instant): boolean {
    const key = keyOf(spawn);
    if (this.#following.size >= FOLLOWED_MAX) return false;
    this.#following.add(key);
    this.#advancedAt.set(key, now);
    void this.actions.advance(spawn).finally(() => {
      this.#following.delete(key);
    });
    return true;
  }
}

const keyOf = ({ workspace, spawnId }: OpenSpawn): string => `${workspace}/${spawnId}`;

/** In the order of the rows. */
const isAfter = (spawn: OpenSpawn, other: OpenSpawn): boolean =>
  spawn.workspace > other.workspace ||
  (spawn.workspace === other.workspace && spawn.spawnId > other.spawnId);
