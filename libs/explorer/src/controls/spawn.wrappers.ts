import type { NodeCommand, NodeState } from '#nodes/domain';
import type { ExistingSpawn, SpawnCommand, SpawnState } from '#spawns/domain';
import type { SpawnContext, SpawnStep } from '#spawns/saga';
import type { NodeId, Step } from '#kernel';
import type { SpawnBounds, SpawnProperty, SpawnRules, SpawnShell } from '../spawns/index.js';

/** A rule of spawns or slots taken out, and what must break without it. */
export interface SpawnControl {
  readonly rule: string;
  readonly breaks: SpawnProperty;
  readonly bounds?: Partial<SpawnBounds>;
  readonly shell?: Partial<SpawnShell>;
  readonly without?: (rules: SpawnRules) => Partial<SpawnRules>;
}

/** The project's `next`, of either kind, with another answer where `change` has one. */
export const next =
  (
    change: (
      spawn: ExistingSpawn,
      context: SpawnContext,
      place: NodeId | null,
    ) => Step<SpawnStep> | null,
  ) =>
  (rules: SpawnRules): Partial<SpawnRules> => ({
    nextStrictSpawn: (spawn, context) =>
      (spawn.status === 'none' ? null : change(spawn, context, null)) ??
      rules.nextStrictSpawn(spawn, context),
    nextGenericSpawn: (spawn, context, place) =>
      (spawn.status === 'none' ? null : change(spawn, context, place)) ??
      rules.nextGenericSpawn(spawn, context, place),
  });

/** The project's `decide`, which is shown something else. */
export const spawnAs =
  (show: (command: SpawnCommand, spawn: ExistingSpawn) => [SpawnCommand, SpawnState]) =>
  (rules: SpawnRules): Partial<SpawnRules> => ({
    decideSpawn: (command, spawn) =>
      spawn.status === 'none'
        ? rules.decideSpawn(command, spawn)
        : rules.decideSpawn(...show(command, spawn)),
  });

export const nodeAs =
  (show: (command: NodeCommand, node: NodeState) => NodeState) =>
  (rules: SpawnRules): Partial<SpawnRules> => ({
    decideNode: (command, node) => rules.decideNode(command, show(command, node)),
  });

export const roundOf = (spawn: ExistingSpawn): number => spawn.placement?.round ?? 0;
