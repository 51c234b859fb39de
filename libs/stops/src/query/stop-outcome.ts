import type { StopView } from '#contracts';
import type { StopId } from '#kernel';
import { isSettled, type RunStopEvidence } from '#runs/contract';

/** What a stop has come to, as its target's stream shows. Pure. */
export const stopOutcome = (
  stopId: StopId,
  run: RunStopEvidence | undefined,
): Pick<StopView, 'outcome' | 'proof' | 'remains' | 'runStatus'> => {
  const runStatus = run?.status ?? null;
  const nothingProven = { proof: null, remains: [], runStatus } as const;
  if (run === undefined) return { outcome: 'pending', ...nothingProven };
  // A run that another stop ended is ended all the same.
  if (run.stopped !== null) {
    const { proof, remains } = run.stopped;
    return { outcome: remains.length === 0 ? 'proven' : 'unknown', proof, remains, runStatus };
  }
  if (run.status === 'unknown') return { outcome: 'unknown', ...nothingProven };
  if (!isSettled(run.status)) return { outcome: 'pending', ...nothingProven };
  // Settled otherwise: before the stop was recorded on it, or by an operator since it could not be known.
  return { outcome: run.stopId === stopId ? 'unknown' : 'too-late', ...nothingProven };
};
