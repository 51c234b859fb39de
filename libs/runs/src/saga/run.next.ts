import {
  lookAgainAt,
  nothing,
  take,
  wait,
  type Epoch,
  type Instant,
  type JournalId,
  type Step,
} from '#kernel';
import type { ExistingRun, RunState } from '../domain/index.js';
import { isUnclaimed } from '../domain/index.js';

/** What the saga knows beside the run's own stream when it asks for the next step. */
export interface RunContext {
  readonly now: Instant;
  readonly epoch: Epoch;
  /** Its session lets it run; always true for the run that opened its session. Read from the leader. */
  readonly admitted: boolean;
  readonly node: NodeView;
  /** Something contradicts what the run says: its node's lease expired, started anew, or does not name it. */
  readonly doubt: string | null;
  /** This process has published the frame of the current generation; saves a publish, decides nothing. */
  readonly framePublished: boolean;
  /** When this process last had an answer about the current generation; null = never. */
  readonly lastAnsweredAt: Instant | null;
  readonly windows: RunWindows;
}

/** The run's node, as its own stream and its lease say. */
export interface NodeView {
  /** `silent`: its lease expired. `unclear`: the lease can't be judged now; nothing is concluded from that. */
  readonly liveness: 'alive' | 'silent' | 'unclear' | 'gone';
  /** The journal that it has joined with; null when it has left. */
  readonly journalId: JournalId | null;
  /** False while it drains. */
  readonly accepting: boolean;
}

export interface RunWindows {
  /** How long a dispatched generation may stay unclaimed before its node is asked, ms. */
  readonly dispatchMs: number;
  /** How long after that a claimed one may stay without a receipt before its node is asked, ms. */
  readonly receiptMs: number;
  /** How often a node is told again of a stop that it took, and asked about an unknown run, ms. */
  readonly repeatMs: number;
}

export type RunStep =
  /** After a restore: every journal that had joined must answer for this run before it is dispatched. */
  | { readonly kind: 'askAllJournals' }
  | { readonly kind: 'dispatch'; readonly generation: number; readonly journalId: JournalId }
  | { readonly kind: 'publishFrame'; readonly generation: number }
  /** Waiting for a free place: another window. Anything else, or no answer: revoke, unclaimed is certainly unsent. */
  | { readonly kind: 'askWhetherWaiting'; readonly generation: number }
  /** Dispatched before a restore: only the answer that the journal closed it takes it back. */
  | { readonly kind: 'askToClose'; readonly generation: number }
  /** What became of it? Its node reports through commands; no answer in time makes the outcome unknown. */
  | { readonly kind: 'ask'; readonly generation: number; readonly because: string }
  /** The stop goes to the node; no answer in time makes the outcome unknown. */
  | { readonly kind: 'sendStop'; readonly generation: number }
  /** Already unknown: an answer may settle it, silence changes nothing. */
  | { readonly kind: 'askAgain'; readonly generation: number };

/** The one step that a run needs now, or when to look again. Pure; a restart, a redelivery and a due deadline all ask here. */
export const nextRun = (run: RunState, context: RunContext): Step<RunStep> => {
  switch (run.status) {
    case 'none':
      return nothing;
    case 'queued':
      return nextOfQueued(run, context);
    case 'dispatched':
      return nextOfDispatched(run, context);
    case 'running':
      return nextOfRunning(run, context);
    case 'stopping':
      return nextOfStopping(run, context);
    case 'unknown':
      return nextOfUnknown(run, context);
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return nothing;
  } // No default: a new status does not compile until it has its step.
};

const nextOfQueued = (run: ExistingRun, context: RunContext): Step<RunStep> => {
  const { node, epoch, admitted } = context;
  if (!admitted) return wait('its turn in the session');
  if (run.epoch < epoch) return take({ kind: 'askAllJournals' });
  const name = run.submission.node;
  if (node.journalId === null || node.liveness === 'gone')
    return wait(`node ${name} to join again`);
  if (node.liveness !== 'alive') return wait(`node ${name} to come online`);
  if (!node.accepting) return wait(`node ${name} to take work again`);
  return take({ kind: 'dispatch', generation: run.generation + 1, journalId: node.journalId });
};

const nextOfDispatched = (run: ExistingRun, context: RunContext): Step<RunStep> => {
  const { generation, dispatch } = run;
  const { now, epoch, framePublished } = context;
  if (!isUnclaimed(run, epoch)) return take({ kind: 'askToClose', generation });
  const startBefore = dispatch?.startBefore ?? now;
  if (now >= startBefore) return take({ kind: 'askWhetherWaiting', generation });
  if (!framePublished) return take({ kind: 'publishFrame', generation });
  return lookAgainAt(startBefore, `node ${run.submission.node} to start it`);
};

const nextOfRunning = (run: ExistingRun, context: RunContext): Step<RunStep> => {
  const { generation, receiptOf, dispatch } = run;
  const { now, doubt, node, lastAnsweredAt, windows } = context;
  const waitsFor = `the outcome from node ${run.submission.node}`;
  const because = doubt ?? (node.liveness === 'silent' ? 'its node fell silent' : null);
  if (because !== null) return take({ kind: 'ask', generation, because });
  // Without a sign that the prompt left, the claim alone proves nothing; after one, only the lease can cast doubt.
  if (receiptOf === generation) return wait(waitsFor);
  const askAt = Math.max(dispatch?.askAt ?? now, (lastAnsweredAt ?? -Infinity) + windows.receiptMs);
  if (now < askAt) return lookAgainAt(askAt, waitsFor);
  return take({ kind: 'ask', generation, because: 'it was claimed, and no receipt came' });
};

const nextOfStopping = (run: ExistingRun, context: RunContext): Step<RunStep> => {
  const { now, lastAnsweredAt, windows, doubt } = context;
  const again = (lastAnsweredAt ?? -Infinity) + windows.repeatMs;
  if (doubt === null && now < again)
    return lookAgainAt(again, `node ${run.submission.node} to prove that it stopped`);
  return take({ kind: 'sendStop', generation: run.generation });
};

const nextOfUnknown = (run: ExistingRun, context: RunContext): Step<RunStep> => {
  const { now, lastAnsweredAt, windows, node } = context;
  const waitsFor = `proof from node ${run.submission.node}, or an operator`;
  if (node.liveness !== 'alive') return wait(waitsFor);
  const again = (lastAnsweredAt ?? -Infinity) + windows.repeatMs;
  return now < again
    ? lookAgainAt(again, waitsFor)
    : take({ kind: 'askAgain', generation: run.generation });
};
