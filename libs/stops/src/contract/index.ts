import type { PrincipalId, Provenance, StopId, WorkspaceId } from '#kernel';

/** What a stop may be aimed at: a run, or the agent that a spawn started (by the spawn's id). Groups of runs follow. */
export const STOP_TARGET_KINDS = ['run', 'agent'] as const;
export type StopTargetKind = (typeof STOP_TARGET_KINDS)[number];
export interface StopTarget {
  readonly kind: StopTargetKind;
  readonly id: string;
}

/** One stop, for its target. */
export interface StopOrder {
  /** The target's. */
  readonly id: string;
  readonly stopId: StopId;
  readonly reason: string;
  readonly principal: PrincipalId;
}

/** Things of one kind that can be stopped. */
export interface Stoppable {
  /** @throws RuleViolation there is no such thing, or nothing of it that could be stopped. */
  check(workspace: WorkspaceId, id: string): Promise<void>;
  /** Records the stop on its target: once, however often it comes. */
  requestStop(workspace: WorkspaceId, stop: StopOrder, by: Provenance): Promise<void>;
}
export type StopTargets = Readonly<Record<StopTargetKind, Stoppable>>;
export const STOP_TARGETS = Symbol('StopTargets');
