import type { Instant, NodeId, RunId, WorkspaceId } from '#kernel';
import type { RunStatus } from '../contract/index.js';

/** The name of the lock that makes one reconciler the active one. */
export const RUNS_SWEEP = 'reconcile-runs';

/** A row of the read model, as far as the reconciler looks at it. It finds work there; the stream decides. */
export interface OpenRun {
  readonly workspace: WorkspaceId;
  readonly runId: RunId;
  readonly node: NodeId;
  readonly status: RunStatus;
  readonly generation: number;
  /** When it is due; null while only an event, or doubt about its node, can move it on. */
  readonly lookAgainAt: Instant | null;
  readonly submittedAt: Instant;
}

/** What is known of a node at this pass. */
export interface NodeSighting {
  readonly liveness: 'alive' | 'silent' | 'unclear' | 'absent';
  /** Since when this reconciler has seen it alive without a break; null while it does not. */
  readonly aliveSince: Instant | null;
  /** At two passes in a row, its lease named another set of open work than the read model: who is right must be asked. */
  readonly disagrees: boolean;
}

/** How often a saga is asked in vain before a queued run counts as stranded: a queue that is long is not stuck. */
export const ASKED_MIN = 3;

export interface PlanWindows {
  readonly strandedMs: number;
}

export type RunFinding =
  /** Its saga should look at it. `doubt`: what contradicts the row. */
  | { readonly kind: 'advance'; readonly run: OpenRun; readonly doubt: string | null }
  /** Never dispatched although it could have been: it fails, certainly unsent. */
  | { readonly kind: 'strand'; readonly run: OpenRun; readonly since: Instant }
  /** Its node can't be judged now: nothing is concluded, and the skip is counted. */
  | { readonly kind: 'skipped'; readonly run: OpenRun };

/**
 * What one open run needs from this pass; null when nothing. Pure: two passes over the same facts find the same, and what
 * is found is only ever a question to the run's own stream.
 *
 * @param asked how often its saga was asked about it, and it stayed as it is.
 */
export const planRun = (
  run: OpenRun,
  node: NodeSighting,
  asked: number,
  now: Instant,
  windows: PlanWindows,
): RunFinding | null => {
  const due = run.lookAgainAt !== null && run.lookAgainAt <= now;
  switch (run.status) {
    case 'queued':
      return due ? planQueued(run, node, asked, now, windows) : null;
    case 'dispatched':
      return due ? { kind: 'advance', run, doubt: null } : null;
    case 'running':
    case 'stopping':
      return planClaimed(run, node, due);
    case 'unknown':
      return node.liveness === 'alive' ? { kind: 'advance', run, doubt: null } : null;
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return null;
  } // No default: a new status does not compile until it has its plan.
};

const planQueued = (
  run: OpenRun,
  node: NodeSighting,
  asked: number,
  now: Instant,
  { strandedMs }: PlanWindows,
): RunFinding | null => {
  switch (node.liveness) {
    case 'silent':
    case 'absent':
      return null; // It waits for its node, and says so.
    case 'unclear':
      return { kind: 'skipped', run };
    case 'alive': {
      const since = Math.max(run.submittedAt, run.lookAgainAt ?? 0, node.aliveSince ?? now);
      // While sagas are only behind, it waits its turn: what is full of work must not fail it.
      const stranded = run.generation === 0 && now - since >= strandedMs && asked >= ASKED_MIN;
      return stranded ? { kind: 'strand', run, since } : { kind: 'advance', run, doubt: null };
    }
  }
};

const planClaimed = (run: OpenRun, node: NodeSighting, due: boolean): RunFinding | null => {
  switch (node.liveness) {
    case 'silent':
    case 'absent':
      return { kind: 'advance', run, doubt: 'the lease of its node expired' };
    case 'unclear':
      return { kind: 'skipped', run };
    case 'alive':
      if (node.disagrees)
        return { kind: 'advance', run, doubt: 'its node names other work than is shown' };
      return due ? { kind: 'advance', run, doubt: null } : null;
  }
};
