/** What a stop may be aimed at. Groups of runs follow; a single run is what can be stopped today. */
export const STOP_TARGET_KINDS = ['run'] as const;
export type StopTargetKind = (typeof STOP_TARGET_KINDS)[number];
export interface StopTarget {
  readonly kind: StopTargetKind;
  readonly id: string;
}
