import type { Epoch, Incarnation, Instant, JournalId, NodeId, RunId, StopId } from '#kernel';
import type { GenerationKind, Receipts, RunStatus, UnknownCode } from '../contract/index.js';
import { TURN_MAY_GO_ON, isSettled } from '../contract/index.js';
import type { RunEvent, RunSubmitted } from './run.events.js';

/** The one frame that a generation is. */
export interface RunDispatch {
  readonly epoch: Epoch;
  readonly kind: GenerationKind;
  readonly node: NodeId;
  readonly journalId: JournalId;
  readonly startBefore: Instant;
  readonly askAt: Instant;
}

/** Who may start the current generation. */
export interface RunClaim {
  readonly journalId: JournalId;
  /** Null after a restore that lost the claim itself: whichever incarnation the journal's entry names. */
  readonly incarnation: Incarnation | null;
}

/** A run that exists, as folded from its subject. */
export interface ExistingRun {
  readonly status: RunStatus;
  readonly runId: RunId;
  readonly submission: Omit<RunSubmitted['data'], 'runId' | 'at' | 'epoch'>;
  readonly submittedAt: Instant;
  /** The newest epoch in which this run was submitted or dispatched. */
  readonly epoch: Epoch;
  /** The current generation; 0 before the first dispatch. */
  readonly generation: number;
  readonly dispatch: RunDispatch | null;
  readonly claim: RunClaim | null;
  /** Entries into the runtime that ended without an outcome. */
  readonly attemptsEnded: number;
  readonly receipts: Receipts;
  /** The newest generation that a receipt came from; 0 = none came. */
  readonly receiptOf: number;
  readonly stop: { readonly stopId: StopId; readonly at: Instant } | null;
  readonly unknown: { readonly code: UnknownCode; readonly fenced: boolean } | null;
  /** Generations that were claimed or became unknown, and were not disproved: the only ones that may show a start. */
  readonly entered: readonly number[];
  /** Generations whose end their node reported: a repeat of that report is no news. */
  readonly ended: readonly number[];
  /** Keys of late evidence that is recorded, so that a repeat adds nothing. */
  readonly lateEvidence: readonly string[];
  /** Of a settled run: how. */
  readonly code: string | null;
}

export type RunState = { readonly status: 'none'; readonly runId: RunId } | ExistingRun;

export const initialRun = (runId: string): RunState => ({ status: 'none', runId });

/** Its place in the session may be given away: settled, or unknown and proven to run no longer. */
export const isOver = (run: RunState): boolean =>
  run.status !== 'none' &&
  (isSettled(run.status) || (run.status === 'unknown' && run.unknown?.fenced === true));

/** What may go on of a run of which no process is left. */
export const mayGoOn = (run: ExistingRun): readonly string[] =>
  run.submission.runClass.outlivesClient && run.entered.length > 0 ? [TURN_MAY_GO_ON] : [];

/** The proof of a stop before anybody could start. */
export const UNCLAIMED = 'unclaimed';

/** Unclaimed by certainty: in this epoch nobody was ever allowed to start the current generation. */
export const isUnclaimed = (run: RunState, epoch: Epoch): boolean =>
  (run.status === 'queued' && run.epoch >= epoch) ||
  (run.status === 'dispatched' && run.dispatch !== null && run.dispatch.epoch >= epoch);

/** The run as it stands after one event. A recorded event is a fact: nothing is refused here. */
export const evolveRun = (run: RunState, event: RunEvent): RunState => {
  if (event.type === 'RunSubmitted') {
    const { runId, at, epoch, ...submission } = event.data;
    return {
      status: 'queued',
      runId,
      submission,
      submittedAt: at,
      epoch,
      generation: 0,
      dispatch: null,
      claim: null,
      attemptsEnded: 0,
      receipts: {},
      receiptOf: 0,
      stop: null,
      unknown: null,
      entered: [],
      ended: [],
      lateEvidence: [],
      code: null,
    };
  }
  return run.status === 'none' ? run : evolveExisting(run, event);
};

const evolveExisting = (run: ExistingRun, event: Exclude<RunEvent, RunSubmitted>): ExistingRun => {
  switch (event.type) {
    case 'RunDispatched': {
      const { epoch, generation, kind, node, journalId, startBefore, askAt } = event.data;
      const dispatch = { epoch, kind, node, journalId, startBefore, askAt };
      return { ...run, status: 'dispatched', epoch, generation, dispatch, claim: null };
    }
    case 'RunStartWindowExtended': {
      const { startBefore, askAt } = event.data;
      return { ...run, dispatch: run.dispatch && { ...run.dispatch, startBefore, askAt } };
    }
    case 'RunDispatchRevoked':
      return { ...run, status: 'queued', claim: null };
    case 'RunClaimed': {
      const { journalId, incarnation, generation } = event.data;
      const entered = [...run.entered, generation];
      return { ...run, status: 'running', claim: { journalId, incarnation }, entered };
    }
    case 'RunNotStarted': {
      const { to, generation, code } = event.data;
      const entered = run.entered.filter((other) => other !== generation);
      return { ...run, status: to, claim: null, unknown: null, code: code ?? null, entered };
    }
    case 'RunReceiptsRecorded': {
      const receipts = { ...run.receipts, ...event.data.receipts };
      return { ...run, receipts, receiptOf: event.data.generation };
    }
    case 'RunAttemptEnded':
      return {
        ...run,
        status: 'queued',
        claim: null,
        unknown: null,
        ...attemptEnded(run, event.data.generation),
        receipts: { ...run.receipts, ...event.data.receipts },
      };
    case 'RunCompleted':
      return { ...run, status: 'completed', ...endOf(run, event.data) };
    case 'RunFailed':
      return { ...run, status: 'failed', code: event.data.code, ...endOf(run, event.data) };
    case 'RunStranded':
      return { ...run, status: 'failed', code: 'RUN_STRANDED' };
    case 'RunOutcomeUnknown': {
      const { code, fenced, generation, evidence } = event.data;
      const { journalId, incarnation } = evidence;
      return {
        ...run,
        status: 'unknown',
        generation,
        unknown: { code, fenced },
        // Nobody holds it to be unsent any more: a start of it is no alarm.
        entered: withEntered(run, generation),
        // After a restore the claim itself may be lost: the journal that is asked is then the holder.
        claim: run.claim ?? { journalId, incarnation: incarnation ?? null },
      };
    }
    case 'RunFenced':
      return { ...run, unknown: run.unknown && { ...run.unknown, fenced: true } };
    case 'RunObservedRunning':
      return { ...run, status: event.data.to, unknown: null };
    case 'RunStopRequested':
      return {
        ...run,
        // Queued before a restore: its journals are asked first, and it is never dispatched again.
        status: run.status === 'queued' ? 'queued' : 'stopping',
        unknown: null,
        // Dispatched before a restore: it may have been started. Else the same commit stops it as unclaimed.
        entered: run.status === 'dispatched' ? withEntered(run, run.generation) : run.entered,
        stop: { stopId: event.data.stopId, at: event.data.at },
      };
    case 'RunStopped':
      return { ...run, status: 'stopped', ...stoppedOf(run, event.data.proof) };
    case 'RunResolved':
      return { ...run, status: event.data.as };
    case 'LateEvidenceRecorded':
      return { ...run, lateEvidence: [...run.lateEvidence, lateEvidenceKey(event.data)] };
  }
};

const withEntered = (run: ExistingRun, generation: number): readonly number[] =>
  run.entered.includes(generation) ? run.entered : [...run.entered, generation];

/** Stopped unclaimed, or proven not started: a later sign of a start must stay visible as evidence. */
const stoppedOf = (
  { generation, status, entered, ended }: ExistingRun,
  proof: string,
): Pick<ExistingRun, 'entered' | 'ended'> => {
  if (status === 'stopping' && proof === UNCLAIMED)
    return { entered: entered.filter((other) => other !== generation), ended };
  return entered.includes(generation)
    ? { entered, ended: [...ended, generation] }
    : { entered, ended };
};

/** An attempt counts once, however often a restore makes its node report its end. */
const attemptEnded = (
  { attemptsEnded, ended }: ExistingRun,
  generation: number,
): Pick<ExistingRun, 'attemptsEnded' | 'ended'> =>
  ended.includes(generation)
    ? { attemptsEnded, ended }
    : { attemptsEnded: attemptsEnded + 1, ended: [...ended, generation] };

const endOf = (
  run: ExistingRun,
  { generation, receipts }: { readonly generation: number; readonly receipts: Receipts },
): Pick<ExistingRun, 'receipts' | 'ended'> => ({
  receipts: { ...run.receipts, ...receipts },
  ended: [...run.ended, generation],
});

/** What makes two pieces of late evidence the same. */
export const lateEvidenceKey = (data: {
  readonly generation: number;
  readonly evidence: string;
}): string => `${String(data.generation)}:${data.evidence}`;
