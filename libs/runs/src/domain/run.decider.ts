import { RuleViolation, type Decider, type Instant, type StopId } from '#kernel';
import { isSettled } from '../contract/index.js';
import type {
  DispatchRun,
  ExtendStartWindow,
  RecordOutcomeUnknown,
  RequestRunStop,
  ResolveRun,
  RevokeDispatch,
  RunCommand,
  StrandRun,
  SubmitRun,
} from './run.commands.js';
import type { RunEvent, RunStopped } from './run.events.js';
import { claimRun, reportNotStarted, reportReceipts, reportRunning } from './run.reports.js';
import { reportEnd } from './run.end-report.js';
import {
  UNCLAIMED,
  evolveRun,
  initialRun,
  isUnclaimed,
  mayGoOn,
  type ExistingRun,
  type RunState,
} from './run.state.js';

/** What follows from a command, given what has happened. Pure: time and ids come with the command. */
export const decideRun = (command: RunCommand, run: RunState): readonly RunEvent[] => {
  if (command.type === 'SubmitRun') return submit(command, run);
  if (run.status === 'none') throw new RuleViolation('run_not_found', { runId: command.runId });
  switch (command.type) {
    case 'DispatchRun':
      return dispatch(command, run);
    case 'ExtendStartWindow':
      return extendStartWindow(command, run);
    case 'RevokeDispatch':
      return revoke(command, run);
    case 'ClaimRun':
      return claimRun(command, run);
    case 'ReportNotStarted':
      return reportNotStarted(command, run);
    case 'ReportReceipts':
      return reportReceipts(command, run);
    case 'ReportEnd':
      return reportEnd(command, run);
    case 'ReportRunning':
      return reportRunning(command, run);
    case 'RecordOutcomeUnknown':
      return recordOutcomeUnknown(command, run);
    case 'StrandRun':
      return strand(command, run);
    case 'RequestRunStop':
      return requestStop(command, run);
    case 'ResolveRun':
      return resolve(command, run);
  } // No default: a new command does not compile until it is decided here.
};

const submit = (command: SubmitRun, run: RunState): readonly RunEvent[] => {
  const { type: _, now, ...facts } = command;
  if (run.status === 'none') return [{ type: 'RunSubmitted', data: { ...facts, at: now } }];
  if (run.submission.fingerprint !== command.fingerprint)
    throw new RuleViolation('idempotency_conflict', { runId: run.runId });
  return []; // The same request again: the first answer stands.
};

const dispatch = (command: DispatchRun, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, node, journalId, startBefore, askAt, epoch, now: at } = command;
  if (run.status !== 'queued' || generation !== run.generation + 1)
    throw new RuleViolation('run.not_dispatchable', { runId, status: run.status, generation });
  // What was lost with a restore may have been started: only the journals can say.
  if (run.epoch < epoch && !command.journalsAnswered)
    throw new RuleViolation('run.journals_unanswered', { runId, epoch });
  // The journals were asked for its stop: nothing of it was ever started, or it has ended.
  if (run.stop !== null) return [stoppedByProof(run, run.stop.stopId, at)];
  // Once an entry ended inside the runtime, only a resume may follow: the prompt was sent.
  const kind = run.attemptsEnded > 0 ? 'resume' : 'initial';
  const data = { runId, at, epoch, generation, kind, node, journalId, startBefore, askAt } as const;
  return [{ type: 'RunDispatched', data }];
};

const extendStartWindow = (command: ExtendStartWindow, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, startBefore, askAt, now: at } = command;
  if (run.status !== 'dispatched' || run.generation !== generation) return [];
  return [{ type: 'RunStartWindowExtended', data: { runId, at, generation, startBefore, askAt } }];
};

const revoke = (command: RevokeDispatch, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, reason, epoch, now: at } = command;
  if (run.status !== 'dispatched' || run.generation !== generation)
    throw new RuleViolation('run.not_revocable', { runId, status: run.status, generation });
  if (!isUnclaimed(run, epoch) && !command.closedByJournal)
    throw new RuleViolation('run.maybe_claimed_before_restore', { runId, generation });
  return [{ type: 'RunDispatchRevoked', data: { runId, at, generation, reason } }];
};

const recordOutcomeUnknown = (
  command: RecordOutcomeUnknown,
  run: ExistingRun,
): readonly RunEvent[] => {
  const { runId, generation, code, witness, evidence, fenced, epoch, now: at } = command;
  const unknown = {
    type: 'RunOutcomeUnknown',
    data: { runId, at, generation, code, witness, evidence, fenced },
  } as const;
  switch (run.status) {
    case 'running':
    case 'stopping':
      return run.generation === generation ? [unknown] : [];
    case 'queued': // After a restore, a journal may know of a start that the stream forgot, or be lost.
      return run.epoch < epoch ? [unknown] : [];
    case 'dispatched': // Its journal may know of a later generation than the stream that was restored.
      return generation >= run.generation && !isUnclaimed(run, epoch) ? [unknown] : [];
    case 'unknown':
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return [];
  }
};

const strand = (command: StrandRun, run: ExistingRun): readonly RunEvent[] => {
  const { runId, windowMs, since, epoch, now: at } = command;
  const neverDispatched = run.status === 'queued' && run.generation === 0 && run.epoch >= epoch;
  if (!neverDispatched || at - since < windowMs) return [];
  return [{ type: 'RunStranded', data: { runId, at, windowMs } }];
};

const requestStop = (command: RequestRunStop, run: ExistingRun): readonly RunEvent[] => {
  const { runId, stopId, reason, principal, epoch, now: at } = command;
  if (isSettled(run.status) || run.stop !== null) return [];
  const requested = {
    type: 'RunStopRequested',
    data: { runId, at, stopId, reason, principal },
  } as const;
  // Nobody may start it any more once this commit stands: stopped at once, without asking anyone.
  if (isUnclaimed(run, epoch)) return [requested, stoppedByProof(run, stopId, at)];
  if (run.status === 'unknown' && run.unknown?.fenced === true)
    return [requested, stoppedByProof(run, stopId, at, 'fenced')];
  return [requested];
};

const stoppedByProof = (
  run: ExistingRun,
  stopId: StopId,
  at: Instant,
  proof = UNCLAIMED,
): RunStopped => {
  const { runId } = run;
  const base = { runId, at, stopId, proof, remains: mayGoOn(run) };
  return { type: 'RunStopped', data: { ...base, lateOutcome: null, settledBy: 'proof' } };
};

const resolve = (command: ResolveRun, run: ExistingRun): readonly RunEvent[] => {
  const { runId, as, note, actor, now: at } = command;
  if (run.status !== 'unknown')
    throw new RuleViolation('run_not_unknown', { runId, status: run.status });
  if (as === 'completed' && run.stop !== null)
    throw new RuleViolation('run_stop_recorded', { runId, stopId: run.stop.stopId });
  return [{ type: 'RunResolved', data: { runId, at, as, note, actor } }];
};

export const RUN: Decider<RunCommand, RunState, RunEvent> = {
  aggregate: 'run',
  initialState: initialRun,
  evolve: evolveRun,
  decide: decideRun,
};
