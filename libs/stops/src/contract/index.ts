/** What a stop may be aimed at: a run, or the agent that a spawn started (by the spawn's id). Groups of runs follow. */
export const STOP_TARGET_KINDS = ['run', 'agent'] as const;
export type StopTargetKind = (typeof STOP_TARGET_KINDS)[number];
export interface StopTarget {
  readonly kind: StopTargetKind;
  readonly id: string;
}
