import type { Instant } from '#kernel';
import type { ExistingSpawn } from '../domain/index.js';
import type { SpawnContext } from './spawn.step.js';

/** What was lost with a restore may have been started: nothing is concluded from what is not there. */
export const RESTORED = 'the event store was restored; whether it was started may be forgotten';

/** It was not dispatched in all that time. */
export const isTooOld = (spawn: ExistingSpawn, context: SpawnContext): boolean =>
  context.now >= expiryOf(spawn, context);

export const expiryOf = ({ claimedAt }: ExistingSpawn, { windows }: SpawnContext): Instant =>
  claimedAt + windows.neverDispatchedMs;
