import type { Instant, WorkspaceId } from '#kernel';
import type { SessionEvent } from '#sessions/contract';
import {
  attemptsMax,
  type OutputSummary,
  type Receipts,
  type SettledBy,
  type SettledRunStatus,
} from '../contract/index.js';
import type { RunEvent, RunOutcomeUnknown, RunSubmitted } from '../domain/index.js';
import type { RunRow } from './run-view.row.js';

/** Where an event stands: what a row keeps of its place. */
export interface EventPlace {
  readonly workspace: WorkspaceId;
  readonly sequence: number;
}

/** The row as it stands after one event of its run. Pure and total: a recorded event is never rejected here. */
export const projectRun = (
  row: RunRow | undefined,
  event: RunEvent,
  place: EventPlace,
): RunRow | undefined => {
  if (event.type === 'RunSubmitted') return submitted(event.data, place);
  if (row === undefined) return undefined; // The stream began before this read model's start position.
  const changed = { ...row, updatedAt: event.data.at, sequence: place.sequence };
  return projectExisting(changed, event);
};

/** The row after an event of its session: only the one that lets it run changes it. */
export const projectAdmission = (
  row: RunRow | undefined,
  event: SessionEvent,
  place: EventPlace,
): RunRow | undefined => {
  if (row === undefined || row.admitted || admittedBy(event) !== row.runId) return row;
  const { at } = event.data;
  const { sequence } = place;
  const lookAgainAt = row.status === 'queued' ? at : row.lookAgainAt;
  return { ...row, admitted: true, updatedAt: at, sequence, lookAgainAt };
};

/** The run that a session's event lets run; null when it lets none. */
export const admittedBy = (event: SessionEvent): string | null => {
  switch (event.type) {
    case 'SessionRunQueued':
      return event.data.admitted ? event.data.runId : null;
    case 'SessionAdvanced':
      return event.data.admitted;
  }
};

const submitted = (data: RunSubmitted['data'], { workspace, sequence }: EventPlace): RunRow => ({
  workspace,
  runId: data.runId,
  sessionId: data.sessionId,
  agent: data.agent,
  node: data.node,
  runtime: data.runClass.runtime,
  status: 'queued',
  admitted: data.opensSession,
  code: null,
  settledBy: null,
  submittedBy: data.principal,
  submittedAt: data.at,
  dispatchedAt: null,
  startedAt: null,
  endedAt: null,
  updatedAt: data.at,
  generation: 0,
  attempts: 0,
  attemptsMax: attemptsMax(data.runClass),
  sentAt: null,
  ackedAt: null,
  observedAt: null,
  thread: null,
  turn: null,
  exitCode: null,
  outputBytes: null,
  outputSha256: null,
  outputTruncated: null,
  stopId: null,
  stopRequestedAt: null,
  stopReason: null,
  ...NOT_UNKNOWN,
  lateEvidence: 0,
  alarming: false,
  askAt: null,
  receiptOf: 0,
  lookAgainAt: data.opensSession ? data.at : null,
  sequence,
});

const projectExisting = (row: RunRow, event: Exclude<RunEvent, RunSubmitted>): RunRow => {
  const { at } = event.data;
  switch (event.type) {
    case 'RunDispatched': {
      const { generation, startBefore, askAt } = event.data;
      const lookAgainAt = startBefore;
      return { ...row, status: 'dispatched', generation, dispatchedAt: at, askAt, lookAgainAt };
    }
    case 'RunStartWindowExtended': {
      const { startBefore, askAt } = event.data;
      return row.status === 'dispatched'
        ? { ...row, askAt, lookAgainAt: startBefore }
        : { ...row, askAt };
    }
    case 'RunDispatchRevoked':
      return queuedAgain(row, at);
    case 'RunClaimed': {
      const { attempt } = event.data;
      return running({ ...row, attempts: attempt, startedAt: row.startedAt ?? at });
    }
    case 'RunNotStarted':
      return notStarted(row, event.data);
    case 'RunReceiptsRecorded': {
      const { generation, receipts } = event.data;
      const known = { ...row, ...receiptsOf(row, receipts), receiptOf: generation };
      return row.status === 'running' ? running(known) : known;
    }
    case 'RunAttemptEnded': {
      const attempts = Math.max(row.attempts, 1); // A restore may have lost its claim.
      const known = { ...row, ...receiptsOf(row, event.data.receipts), ...NOT_UNKNOWN, attempts };
      return queuedAgain(known, at);
    }
    case 'RunCompleted': {
      const { receipts, output, exitCode, settledBy } = event.data;
      const known = { ...row, ...receiptsOf(row, receipts), ...outputOf(output), exitCode };
      return settled(known, 'completed', { at, settledBy, code: null });
    }
    case 'RunFailed': {
      const { receipts, output, exitCode, settledBy, code } = event.data;
      const known = { ...row, ...receiptsOf(row, receipts), ...outputOf(output), exitCode };
      return settled(known, 'failed', { at, settledBy, code });
    }
    case 'RunStranded':
      return settled(row, 'failed', { at, settledBy: 'reconciler', code: 'RUN_STRANDED' });
    case 'RunOutcomeUnknown':
      return unknown(row, event.data);
    case 'RunFenced':
      return row.status === 'unknown' ? { ...row, unknownFenced: true } : row;
    case 'RunObservedRunning': {
      const seen = { ...row, ...NOT_UNKNOWN, code: null };
      return event.data.to === 'running'
        ? running(seen)
        : { ...seen, status: 'stopping', lookAgainAt: at };
    }
    case 'RunStopRequested': {
      const { stopId, reason } = event.data;
      const stop = { stopId, stopRequestedAt: at, stopReason: reason };
      // Queued before a restore: its journals are asked first, and it is never dispatched again.
      const status = row.status === 'queued' ? 'queued' : 'stopping';
      return { ...row, ...NOT_UNKNOWN, ...stop, code: null, status, lookAgainAt: at };
    }
    case 'RunStopped':
      return settled(row, 'stopped', { at, settledBy: event.data.settledBy, code: null });
    case 'RunResolved': {
      const { as } = event.data;
      // What could not be known stays the reason of a failed or abandoned run.
      const code = as === 'completed' ? null : row.code;
      return settled(row, as, { at, settledBy: 'operator', code });
    }
    case 'LateEvidenceRecorded': {
      const alarming = row.alarming || event.data.showsStart;
      return { ...row, lateEvidence: row.lateEvidence + 1, alarming };
    }
  } // No default: a new event does not compile until it has its row.
};

const NOT_UNKNOWN = {
  unknownCode: null,
  unknownWitness: null,
  unknownReason: null,
  unknownFenced: null,
  unknownSince: null,
  unknownLastHeardAt: null,
} as const;

const queuedAgain = (row: RunRow, at: Instant): RunRow => ({
  ...row,
  status: 'queued',
  code: null,
  dispatchedAt: null,
  askAt: null,
  lookAgainAt: row.admitted ? at : null,
});

/** After a receipt of its generation only its node's lease can cast doubt: no deadline is left. */
const running = (row: RunRow): RunRow => ({
  ...row,
  status: 'running',
  lookAgainAt: row.receiptOf === row.generation ? null : row.askAt,
});

const notStarted = (
  row: RunRow,
  { at, to, code }: Extract<RunEvent, { type: 'RunNotStarted' }>['data'],
): RunRow => {
  const attempts = Math.max(row.attempts - 1, 0);
  const undone = { ...row, attempts, startedAt: attempts === 0 ? null : row.startedAt };
  switch (to) {
    case 'queued':
      return queuedAgain({ ...undone, ...NOT_UNKNOWN }, at);
    case 'failed':
    case 'stopped':
      return settled(undone, to, { at, settledBy: 'proof', code: code ?? null });
  }
};

const settled = (
  row: RunRow,
  status: SettledRunStatus,
  end: { readonly at: Instant; readonly settledBy: SettledBy; readonly code: string | null },
): RunRow => ({
  ...row,
  ...NOT_UNKNOWN,
  status,
  code: end.code,
  settledBy: end.settledBy,
  endedAt: end.at,
  lookAgainAt: null,
});

const unknown = (row: RunRow, data: RunOutcomeUnknown['data']): RunRow => {
  const { at, generation, code, witness, evidence, fenced } = data;
  return {
    ...row,
    status: 'unknown',
    generation,
    code,
    unknownCode: code,
    unknownWitness: witness,
    unknownReason: evidence.reason,
    unknownFenced: fenced,
    unknownSince: at,
    unknownLastHeardAt: evidence.lastHeardAt ?? null,
    lookAgainAt: at,
  };
};

const receiptsOf = (row: RunRow, { sent, acked, observed, thread, turn }: Receipts) => ({
  sentAt: sent ?? row.sentAt,
  ackedAt: acked ?? row.ackedAt,
  observedAt: observed ?? row.observedAt,
  thread: thread ?? row.thread,
  turn: turn ?? row.turn,
});

const outputOf = (output: OutputSummary | null) => ({
  outputBytes: output?.bytes ?? null,
  outputSha256: output?.sha256 ?? null,
  outputTruncated: output?.truncated ?? null,
});
