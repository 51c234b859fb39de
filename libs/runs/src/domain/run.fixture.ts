import { fold } from '#kernel';
import type { AttemptEnd, Receipts } from '../contract/index.js';
import type { RunCommand } from './run.commands.js';
import type { RunEvent } from './run.events.js';
import { evolveRun, initialRun, type ExistingRun } from './run.state.js';

/** Facts that all specs of runs share. Times are small numbers: no rule reads a calendar. */
export const runId = 'run-1';
export const node = 'node-1';
export const journalId = 'journal-1';
export const otherJournal = 'journal-2';
export const incarnation = 'incarnation-1';
export const otherIncarnation = 'incarnation-2';
export const stopId = 'stop-1';
export const now = 1_000;
export const output = { bytes: 12, sha256: 'ab'.repeat(32), truncated: false };
const at = now;

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type CommandOf<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>;

const runClass = (attempts: 'single' | 'resumable') =>
  ({
    runtime: 'cli',
    attempts,
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: true,
    outlivesClient: false,
  }) as const;

const submission = {
  sessionId: runId,
  opensSession: true,
  agent: 'agent-1',
  node,
  runClass: runClass('single'),
  prompt: 'Say hello.',
  principal: 'principal-1',
  fingerprint: 'fingerprint-1',
  epoch: 1,
} as const;

export const submit: CommandOf<'SubmitRun'> = { type: 'SubmitRun', runId, now, ...submission };
export const submitted: EventOf<'RunSubmitted'> = {
  type: 'RunSubmitted',
  data: { runId, ...submission, at },
};
/** A run of class R. */
export const submittedResumable: EventOf<'RunSubmitted'> = {
  type: 'RunSubmitted',
  data: { ...submitted.data, runClass: runClass('resumable') },
};

export const dispatched = (
  generation = 1,
  data: Partial<EventOf<'RunDispatched'>['data']> = {},
): EventOf<'RunDispatched'> => ({
  type: 'RunDispatched',
  data: {
    runId,
    at,
    epoch: 1,
    generation,
    kind: 'initial',
    node,
    journalId,
    startBefore: 11_000,
    askAt: 21_000,
    ...data,
  },
});
export const claimed = (generation = 1, by = incarnation): EventOf<'RunClaimed'> => ({
  type: 'RunClaimed',
  data: { runId, at, generation, journalId, incarnation: by, attempt: 1 },
});
export const revoked = (generation = 1): RunEvent => ({
  type: 'RunDispatchRevoked',
  data: { runId, at, generation, reason: 'silence' },
});
export const attemptEnded = (generation = 1): RunEvent => ({
  type: 'RunAttemptEnded',
  data: { runId, at, generation, reason: 'gone', receipts: {} },
});
export const stopRequested: RunEvent = {
  type: 'RunStopRequested',
  data: { runId, at, stopId, reason: 'enough', principal: 'principal-1' },
};
export const evidence = { reason: 'silence', node, journalId, incarnation, receipts: {} };
export const unknown = (
  data: Partial<EventOf<'RunOutcomeUnknown'>['data']> = {},
): EventOf<'RunOutcomeUnknown'> => ({
  type: 'RunOutcomeUnknown',
  data: {
    runId,
    at,
    generation: 1,
    code: 'RUN_OUTCOME_UNKNOWN',
    witness: 'saga',
    evidence,
    fenced: false,
    ...data,
  },
});
export const fenced: RunEvent = {
  type: 'RunFenced',
  data: { runId, at, generation: 1, proof: 'gone' },
};
export const completed: EventOf<'RunCompleted'> = {
  type: 'RunCompleted',
  data: { runId, at, generation: 1, output, receipts: {}, settledBy: 'node', exitCode: 0 },
};
export const stopped = (
  data: Partial<EventOf<'RunStopped'>['data']> = {},
): EventOf<'RunStopped'> => ({
  type: 'RunStopped',
  data: {
    runId,
    at,
    stopId,
    proof: 'unclaimed',
    remains: [],
    lateOutcome: null,
    settledBy: 'proof',
    ...data,
  },
});
export const resolved = (as: 'completed' | 'failed' | 'abandoned'): RunEvent => ({
  type: 'RunResolved',
  data: { runId, at, as, note: 'looked', actor: 'principal-1' },
});

/** Histories that end in each status. */
export const QUEUED: readonly RunEvent[] = [submitted];
export const DISPATCHED: readonly RunEvent[] = [submitted, dispatched()];
export const RUNNING: readonly RunEvent[] = [...DISPATCHED, claimed()];
export const STOPPING: readonly RunEvent[] = [...RUNNING, stopRequested];
export const UNKNOWN: readonly RunEvent[] = [...RUNNING, unknown()];
export const UNKNOWN_FENCED: readonly RunEvent[] = [...UNKNOWN, fenced];
export const UNKNOWN_STOPPED: readonly RunEvent[] = [...STOPPING, unknown()];
export const COMPLETED: readonly RunEvent[] = [...RUNNING, completed];
export const STOPPED: readonly RunEvent[] = [...QUEUED, stopRequested, stopped()];
export const ABANDONED: readonly RunEvent[] = [...UNKNOWN, resolved('abandoned')];
/** The same for class R. */
export const resumable = (history: readonly RunEvent[]): readonly RunEvent[] => [
  submittedResumable,
  ...history.slice(1),
];

/** The same history of a run whose runtime goes on without its client. */
export const outliving = (history: readonly RunEvent[]): readonly RunEvent[] => {
  const { data } = submittedResumable;
  const runClass = { ...data.runClass, outlivesClient: true };
  return [{ type: 'RunSubmitted', data: { ...data, runClass } }, ...history.slice(1)];
};

const ofGeneration = { runId, now, generation: 1, journalId, incarnation };

export const dispatch = (
  generation = 1,
  more: Partial<CommandOf<'DispatchRun'>> = {},
): CommandOf<'DispatchRun'> => ({
  type: 'DispatchRun',
  runId,
  now,
  generation,
  node,
  journalId,
  startBefore: 11_000,
  askAt: 21_000,
  epoch: 1,
  journalsAnswered: false,
  ...more,
});
export const revoke = (
  more: Partial<CommandOf<'RevokeDispatch'>> = {},
): CommandOf<'RevokeDispatch'> => ({
  type: 'RevokeDispatch',
  runId,
  now,
  generation: 1,
  reason: 'silence',
  epoch: 1,
  closedByJournal: false,
  ...more,
});
export const claim = (more: Partial<CommandOf<'ClaimRun'>> = {}): CommandOf<'ClaimRun'> => ({
  type: 'ClaimRun',
  ...ofGeneration,
  epoch: 1,
  ...more,
});
export const notStarted = (
  more: Partial<CommandOf<'ReportNotStarted'>> = {},
): CommandOf<'ReportNotStarted'> => ({
  type: 'ReportNotStarted',
  ...ofGeneration,
  disproves: incarnation,
  proof: 'closed',
  epoch: 1,
  ...more,
});
export const receipts = (
  reported: Receipts,
  more: Partial<CommandOf<'ReportReceipts'>> = {},
): CommandOf<'ReportReceipts'> => ({
  type: 'ReportReceipts',
  ...ofGeneration,
  receipts: reported,
  ...more,
});
export const running = (
  more: Partial<CommandOf<'ReportRunning'>> = {},
): CommandOf<'ReportRunning'> => ({
  type: 'ReportRunning',
  ...ofGeneration,
  evidence: 'alive',
  ...more,
});
export const ended = (
  end: AttemptEnd,
  more: Partial<CommandOf<'ReportEnd'>> = {},
): CommandOf<'ReportEnd'> => ({
  type: 'ReportEnd',
  ...ofGeneration,
  end,
  output,
  receipts: {},
  epoch: 1,
  ...more,
});
export const recordUnknown = (
  more: Partial<CommandOf<'RecordOutcomeUnknown'>> = {},
): CommandOf<'RecordOutcomeUnknown'> => ({
  type: 'RecordOutcomeUnknown',
  runId,
  now,
  generation: 1,
  code: 'RUN_OUTCOME_UNKNOWN',
  witness: 'saga',
  evidence,
  fenced: false,
  epoch: 1,
  ...more,
});
export const requestStop = (epoch = 1, id = stopId): CommandOf<'RequestRunStop'> => ({
  type: 'RequestRunStop',
  runId,
  now,
  stopId: id,
  reason: 'enough',
  principal: 'principal-1',
  epoch,
});
export const resolve = (as: 'completed' | 'failed' | 'abandoned'): CommandOf<'ResolveRun'> => ({
  type: 'ResolveRun',
  runId,
  now,
  as,
  note: 'looked',
  actor: 'principal-1',
});

export const OK: AttemptEnd = { how: 'completed', exitCode: 0 };
export const BAD: AttemptEnd = { how: 'failed', code: 'AGENT_EXITED', exitCode: 3 };
export const INTERRUPTED: AttemptEnd = { how: 'interrupted', reason: 'client-died' };
export const LOST: AttemptEnd = { how: 'lost', reason: 'exit-not-seen' };
export const killedBy = (
  by: 'stop' | 'time-limit' | 'shutdown',
  remains: readonly string[] = [],
): AttemptEnd => ({ how: 'killed', by, remains });

/** The run after a history. */
export const runAfter = (history: readonly RunEvent[]): ExistingRun => {
  const run = fold(evolveRun, initialRun(runId), history);
  if (run.status === 'none') throw new Error('the history does not begin with a submission');
  return run;
};
