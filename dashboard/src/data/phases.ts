import type { TimelineEntryView } from '../../../libs/contracts/src/views.js';
import { isOpen, STATUSES, type RunStatus } from './run-status.js';

/** A stretch of time in which a run had one status. Times in ms since 1970. */
export interface Phase {
  readonly status: RunStatus;
  readonly from: number;
  /** Null while it lasts, and for the end of a run. */
  readonly to: number | null;
}

/** What a run went through, oldest first; the last one is where it stands. Pure. */
export const phasesOf = (entries: readonly TimelineEntryView[]): readonly Phase[] => {
  const phases: Phase[] = [];
  for (const entry of entries) {
    const status = statusAfter(entry);
    const last = phases.at(-1);
    if (status === undefined || last?.status === status) continue;
    if (last !== undefined && !isOpen(last.status)) break; // What comes after the end changes nothing.
    const from = Date.parse(entry.at);
    // Clocks of several machines: nothing ends before it began.
    if (last !== undefined) phases[phases.length - 1] = { ...last, to: Math.max(last.from, from) };
    phases.push({ status, from, to: null });
  }
  return phases;
};

/** What each event makes of its run; those that are not here leave its status as it was. */
const STATUS_AFTER: Readonly<Record<string, RunStatus>> = {
  RunSubmitted: 'queued',
  RunDispatched: 'dispatched',
  RunDispatchRevoked: 'queued',
  RunClaimed: 'running',
  RunAttemptEnded: 'queued',
  RunOutcomeUnknown: 'unknown',
  RunStopRequested: 'stopping',
  RunCompleted: 'completed',
  RunFailed: 'failed',
  RunStranded: 'failed',
  RunStopped: 'stopped',
};

/** Some events say themselves what they made of the run. */
const NAMED_BY: Readonly<Record<string, string>> = {
  RunNotStarted: 'to',
  RunObservedRunning: 'to',
  RunResolved: 'as',
};

const statusAfter = ({ type, data }: TimelineEntryView): RunStatus | undefined => {
  const field = NAMED_BY[type];
  if (field === undefined) return STATUS_AFTER[type];
  return STATUSES.find((status) => status === data[field]);
};
