import { decideNode, evolveNode } from '#nodes/domain';
import { decideSpawn, evolveSpawn } from '#spawns/domain';
import { nextGenericSpawn, nextStrictSpawn } from '#spawns/saga';

/** The project's own pure rules of spawns, and of the slots on a node. */
export interface SpawnRules {
  readonly decideSpawn: typeof decideSpawn;
  readonly evolveSpawn: typeof evolveSpawn;
  readonly nextStrictSpawn: typeof nextStrictSpawn;
  readonly nextGenericSpawn: typeof nextGenericSpawn;
  readonly decideNode: typeof decideNode;
  readonly evolveNode: typeof evolveNode;
}
export const SPAWN_RULES: SpawnRules = {
  decideSpawn,
  evolveSpawn,
  nextStrictSpawn,
  nextGenericSpawn,
  decideNode,
  evolveNode,
};

/** What the processes around the rules do: true everywhere but in negative controls. */
export interface SpawnShell {
  /** An append is refused when the spawn's subject has moved on since it was loaded. */
  readonly compareAndSet: boolean;
  /** The node starts only what its claim was granted for. */
  readonly claimsFirst: boolean;
  /** A restarted node-agent closes what it did not start, and never asks for it again. */
  readonly closesAfterRestart: boolean;
}
export const SPAWN_SHELL: SpawnShell = {
  compareAndSet: true,
  claimsFirst: true,
  closesAfterRestart: true,
};

export interface SpawnBounds {
  /** A strict one names its node; a generic one has two that are alike, and two generations at most. */
  readonly kind: 'strict' | 'generic';
  /** Rounds that a spawn may be placed in, at most. */
  readonly rounds: number;
  readonly capacity: number;
  /** How often the other spawn takes the slot of the first node, or gives it back. */
  readonly others: number;
  /** Deaths of the node-agent. */
  readonly crashes: number;
  /** Answers to a claim that get lost. */
  readonly lostAnswers: number;
}
export interface SpawnSetup {
  readonly bounds: SpawnBounds;
  readonly rules: SpawnRules;
  readonly shell: SpawnShell;
}
