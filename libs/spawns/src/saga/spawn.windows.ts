import type { Windows } from '#platform';
import type { SpawnWindows } from './spawn.step.js';

/** The windows of spawns among those of the installation. */
export const spawnWindows = (windows: Windows): SpawnWindows => ({
  reservationMs: windows.spawnReservationMs,
  retryAfterMs: windows.spawnRetryAfterMs,
  neverDispatchedMs: windows.neverDispatchedMs,
  repeatMs: windows.repeatMs,
});
