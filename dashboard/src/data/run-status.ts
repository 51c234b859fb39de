import type { RunView } from '../../../libs/contracts/src/views.js';

export type RunStatus = RunView['status'];

/** In the order in which a run goes through them. */
export const OPEN_STATUSES = [
  'queued',
  'dispatched',
  'running',
  'stopping',
  'unknown',
] as const satisfies readonly RunStatus[];
export const SETTLED_STATUSES = [
  'completed',
  'failed',
  'stopped',
  'abandoned',
] as const satisfies readonly RunStatus[];
export const STATUSES: readonly RunStatus[] = [...OPEN_STATUSES, ...SETTLED_STATUSES];

/** It is not settled: something may still happen to it. */
export const isOpen = (status: RunStatus): boolean =>
  (OPEN_STATUSES as readonly RunStatus[]).includes(status);

/** A run's status as a sign, for those to whom colours say little. */
export const SIGNS: Readonly<Record<RunStatus, string>> = {
  queued: '○',
  dispatched: '◔',
  running: '▸',
  stopping: '□',
  unknown: '?',
  completed: '✓',
  failed: '✕',
  stopped: '■',
  abandoned: '–',
};
