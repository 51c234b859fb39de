import type { StrictSpawnDoor } from './strict-spawn.door.js';
import type { StrictSpawnRunner } from './strict-spawn.runner.js';

/** What the two strict routes share: who is let in, and how a claim is moved on while its caller waits. */
export interface StrictSpawns {
  readonly door: StrictSpawnDoor;
  readonly runner: StrictSpawnRunner;
  /** How long a round may be reserved, ms. */
  readonly reservationMs: number;
}
export const STRICT_SPAWNS = Symbol('StrictSpawns');
