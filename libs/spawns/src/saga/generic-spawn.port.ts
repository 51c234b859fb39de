import type { Step } from '#kernel';
import type { LoadedSpawn } from './spawn.ports.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';

/** Says what a spawn needs next that may be placed on any node that fits. */
export interface NextGeneric {
  next(spawn: LoadedSpawn, context: SpawnContext): Promise<Step<SpawnStep>>;
}
