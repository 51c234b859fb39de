import type { LeaseVerdict } from '#nodes/contract';
import type { SessionQueue } from '#sessions/contract';
import type { RunStatus } from '../contract/index.js';
import type { RunRow } from '../projection/index.js';

/** What is known beside the row when somebody asks what a run waits for. */
export interface RunSurroundings {
  /** Its node's lease, judged now; undefined when nobody asked. */
  readonly lease: LeaseVerdict | undefined;
  /** Who stands where in its session; undefined when that is not known. */
  readonly queue: SessionQueue | undefined;
  /** How the run stands that holds the session. */
  readonly holder: { readonly status: RunStatus; readonly fenced: boolean } | undefined;
}

/** What an open run waits for, as the end of a sentence that starts with "waits for"; null when it is settled. Pure. */
export const waitsFor = (
  run: Pick<RunRow, 'runId' | 'status' | 'admitted' | 'node' | 'stopId'>,
  { lease, queue, holder }: RunSurroundings,
): string | null => {
  const node = `node ${run.node}`;
  const condition = conditionOf(lease);
  switch (run.status) {
    case 'queued':
      if (run.stopId !== null) return `${node} to answer for it: it was stopped after a restore`;
      if (!run.admitted) return waitsInSession(run.runId, queue, holder);
      return queuedOn(node, condition);
    case 'dispatched':
      return dispatchedTo(node, condition, lease);
    case 'running':
      return condition === 'silent'
        ? `an answer from ${node}, which is silent`
        : `its outcome from ${node}${condition === 'recovering' ? ', which reads its journal' : ''}`;
    case 'stopping':
      return `${node} to prove that it stopped${condition === 'silent' ? '; the node is silent' : ''}`;
    case 'unknown':
      return `proof from ${node}, or an operator${condition === 'silent' ? '; the node is silent' : ''}`;
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return null;
  } // No default: a new status does not compile until it says what it waits for.
};

type Condition = 'alive' | 'recovering' | 'silent' | 'unclear';

const conditionOf = (lease: LeaseVerdict | undefined): Condition => {
  switch (lease?.kind) {
    case 'alive':
      return lease.lease.recovering ? 'recovering' : 'alive';
    case 'expired':
    case 'never':
      return 'silent';
    case 'cannot-tell':
    case undefined:
      return 'unclear';
  }
};

const waitsInSession = (
  runId: string,
  queue: SessionQueue | undefined,
  holder: RunSurroundings['holder'],
): string => {
  const place = queue?.queue.indexOf(runId) ?? -1;
  if (queue === undefined || place < 0) return 'its place in the session';
  const before = place === 0 ? '' : `, and ${place} more before it`;
  const isUnknown = holder?.status === 'unknown' && !holder.fenced;
  const why = isUnknown
    ? 'whose outcome is unknown and which may still run'
    : 'which holds the session';
  return `run ${queue.activeRunId}, ${why}${before}`;
};

const queuedOn = (node: string, condition: Condition): string => {
  switch (condition) {
    case 'silent':
      return `${node} to come online`;
    case 'recovering':
      return `${node}, which reads its journal`;
    case 'alive':
    case 'unclear':
      return `its dispatch to ${node}`;
  }
};

const dispatchedTo = (
  node: string,
  condition: Condition,
  lease: LeaseVerdict | undefined,
): string => {
  if (condition === 'silent') return `${node} to start it; the node is silent`;
  if (lease?.kind === 'alive' && lease.lease.running >= lease.lease.maxRuns)
    return `a free place on ${node}, where ${lease.lease.running} of ${lease.lease.maxRuns} runs are under way`;
  return `${node} to start it`;
};
