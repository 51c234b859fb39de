import { RuleViolation, type Epoch } from '#kernel';
import {
  attemptsMax,
  isSettled,
  type AttemptEnd,
  type Receipts,
  type UnknownEvidence,
} from '../contract/index.js';
import type {
  ClaimRun,
  ReportEnd,
  ReportNotStarted,
  ReportReceipts,
  ReportRunning,
} from './run.commands.js';
import type { RunEvent } from './run.events.js';
import { lateEvidenceKey, type ExistingRun } from './run.state.js';

/** May this incarnation start this generation? The first to ask, while it is dispatched, and it alone. */
export const claimRun = (command: ClaimRun, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, journalId, incarnation, now: at } = command;
  const current = generation === run.generation;
  const mine = run.claim?.journalId === journalId && run.claim.incarnation === incarnation;
  // Asked again, because the answer was lost: it is still yours, unless a stop came in between.
  if (current && mine && (run.status === 'running' || run.status === 'unknown')) return [];
  if (!current || run.status !== 'dispatched' || run.dispatch?.journalId !== journalId)
    throw new RuleViolation('run.claim_refused', { runId, generation, status: run.status });
  // Another generation may have been started and forgotten: the journals are asked, and it is dispatched anew.
  if (run.dispatch.epoch < command.epoch)
    throw new RuleViolation('run.claim_of_older_epoch', { runId, generation });
  const attempt = run.attemptsEnded + 1;
  return [{ type: 'RunClaimed', data: { runId, at, generation, journalId, incarnation, attempt } }];
};

type OfNode = ReportNotStarted | ReportReceipts | ReportEnd | ReportRunning;

/** Claimed, by the journal that speaks, in the generation that it speaks of; nobody else can change the run. */
const speaksForClaim = (command: OfNode, run: ExistingRun): boolean =>
  command.generation === run.generation &&
  (run.status === 'running' || run.status === 'stopping' || run.status === 'unknown') &&
  (run.claim ?? run.dispatch)?.journalId === command.journalId;

/** True and too late: recorded once, changes nothing. */
const tooLate = (command: OfNode, run: ExistingRun, evidence: string): readonly RunEvent[] => {
  const { runId, generation, now: at } = command;
  // The current generation while nobody holds it: after a restore its node is asked, and reports again.
  if (generation === run.generation && !isSettled(run.status)) return [];
  if (run.ended.includes(generation)) return []; // A repeat of the report that ended it.
  if (run.lateEvidence.includes(lateEvidenceKey({ generation, evidence }))) return [];
  // Whatever was not claimed, or was proven not started, must not show a start.
  const showsStart = !run.entered.includes(generation);
  return [{ type: 'LateEvidenceRecorded', data: { runId, at, generation, evidence, showsStart } }];
};

export const reportNotStarted = (
  command: ReportNotStarted,
  run: ExistingRun,
): readonly RunEvent[] => {
  const { runId, generation, disproves, proof, now: at } = command;
  if (!speaksForClaim(command, run)) return []; // Nothing was started: no evidence worth keeping.
  const holder = run.claim?.incarnation ?? null;
  if (holder !== null && holder !== disproves) return []; // Another incarnation holds the claim, and may start.
  const base = { runId, at, generation, incarnation: disproves, proof } as const;
  // Later generations may have been forgotten with the restore: this one proves nothing about the run.
  if (isOfOlderEpoch(run, command.epoch))
    return [{ type: 'RunNotStarted', data: { ...base, to: 'queued' } }];
  if (run.stop !== null) {
    const stopped = {
      runId,
      at,
      stopId: run.stop.stopId,
      proof,
      remains: [],
      lateOutcome: null,
    } as const;
    return [
      { type: 'RunNotStarted', data: { ...base, to: 'stopped' } },
      { type: 'RunStopped', data: { ...stopped, settledBy: 'node' } },
    ];
  }
  if (run.status !== 'unknown') return [{ type: 'RunNotStarted', data: { ...base, to: 'queued' } }];
  // Its session may have moved on, so it is not queued again; it failed, and the caller may submit anew.
  const code = run.attemptsEnded > 0 ? 'RUN_RESUME_NOT_STARTED' : 'RUN_NEVER_STARTED';
  return [{ type: 'RunNotStarted', data: { ...base, to: 'failed', code } }];
};

/** Nothing of it is of this epoch: what followed may be forgotten with a restore, and only the journals know. */
const isOfOlderEpoch = (run: ExistingRun, epoch: Epoch): boolean => run.epoch < epoch;

export const reportReceipts = (command: ReportReceipts, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, now: at } = command;
  if (!speaksForClaim(command, run)) return tooLate(command, run, 'receipts');
  const receipts = newReceipts(command.receipts, run.receipts);
  if (Object.keys(receipts).length === 0) return [];
  return [{ type: 'RunReceiptsRecorded', data: { runId, at, generation, receipts } }];
};

/** Only what is not recorded yet: a repeated report adds nothing. */
const newReceipts = (reported: Receipts, recorded: Receipts): Receipts =>
  Object.fromEntries(
    Object.entries(reported).filter(
      ([key, value]) => value !== undefined && recorded[key as keyof Receipts] !== value,
    ),
  );

export const reportRunning = (command: ReportRunning, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, incarnation, evidence, now: at } = command;
  const late = 'observed running';
  if (!speaksForClaim(command, run)) return tooLate(command, run, late);
  if (run.status !== 'unknown') return [];
  if (run.unknown?.fenced === true) {
    // Its session may have moved on: it can't come back. Mostly the report is older than the fence; if it is not, it
    // must be seen. It shows no start that anybody had excluded.
    if (run.lateEvidence.includes(lateEvidenceKey({ generation, evidence: late }))) return [];
    return [
      {
        type: 'LateEvidenceRecorded',
        data: {
          runId,
          at,
          generation,
          evidence: late,
          showsStart: !run.entered.includes(generation),
        },
      },
    ];
  }
  const to = run.stop === null ? 'running' : 'stopping';
  return [
    { type: 'RunObservedRunning', data: { runId, at, generation, incarnation, evidence, to } },
  ];
};

export const reportEnd = (command: ReportEnd, run: ExistingRun): readonly RunEvent[] => {
  const { end } = command;
  if (!speaksForClaim(command, run)) return tooLate(command, run, lateEnd(end));
  if (run.stop !== null && !mayHaveGoneOn(command, run) && !leavesSomething(end))
    return stoppedBy(command, run, run.stop.stopId);
  switch (end.how) {
    case 'completed':
      return [{ type: 'RunCompleted', data: { ...outcome(command, run), exitCode: end.exitCode } }];
    case 'failed':
      return [
        {
          type: 'RunFailed',
          data: { ...outcome(command, run), code: end.code, exitCode: end.exitCode },
        },
      ];
    case 'interrupted':
      return interrupted(command, run, end.reason);
    case 'lost':
      return unknownAfterKill(command, run, end.reason, end.remains ?? []);
    case 'killed':
      return killed(command, run, end);
  }
};

/** An attempt that ended before a restore: the one that followed it may be forgotten, and must be stopped too. */
const mayHaveGoneOn = ({ end, epoch }: ReportEnd, run: ExistingRun): boolean =>
  end.how === 'interrupted' &&
  run.submission.runClass.attempts === 'resumable' &&
  isOfOlderEpoch(run, epoch);

/** It is gone, and what it had started is not: the stop still has to go down the ladder with that. */
const leavesSomething = (end: AttemptEnd): boolean =>
  end.how === 'lost' && (end.remains?.length ?? 0) > 0;

/** A stop that was accepted first decides the state, whatever the node saw. */
const stoppedBy = (
  command: ReportEnd,
  run: ExistingRun,
  stopId: string | null,
): readonly RunEvent[] => {
  const { end, runId, now: at } = command;
  const remains = end.how === 'killed' ? end.remains : [];
  const lateOutcome = end.how === 'killed' ? null : lateEnd(end);
  const settledBy = settledByOf(run);
  const proof = end.how === 'killed' ? 'process-group-gone' : 'ended-by-itself';
  return [
    { type: 'RunStopped', data: { runId, at, stopId, proof, remains, lateOutcome, settledBy } },
  ];
};

const interrupted = (command: ReportEnd, run: ExistingRun, reason: string): readonly RunEvent[] => {
  const { runId, generation, receipts, now: at } = command;
  // A runtime that can't be entered twice has nothing to resume.
  if (run.submission.runClass.attempts === 'single') return lost(command, run, reason);
  // Known already, if it was asked about again after a restore: an attempt is counted once.
  const ended = run.attemptsEnded + (run.ended.includes(generation) ? 0 : 1);
  const attemptsLeft = ended < attemptsMax(run.submission.runClass);
  const mayResume = run.unknown?.fenced !== true;
  if (attemptsLeft && mayResume)
    return [{ type: 'RunAttemptEnded', data: { runId, at, generation, reason, receipts } }];
  const code = attemptsLeft ? 'RUN_INTERRUPTED_AFTER_FENCE' : 'RUN_ATTEMPTS_EXHAUSTED';
  return [{ type: 'RunFailed', data: { ...outcome(command, run), code, exitCode: null } }];
};

const lost = (command: ReportEnd, run: ExistingRun, reason: string): readonly RunEvent[] => {
  const { runId, generation, now: at } = command;
  if (run.status === 'unknown') {
    // Already shown. What is new is that it runs no longer, so its session may go on.
    return run.unknown?.fenced === true
      ? []
      : [{ type: 'RunFenced', data: { runId, at, generation, proof: reason } }];
  }
  const data = { runId, at, generation, evidence: evidenceOf(command, run, reason), fenced: true };
  return [
    { type: 'RunOutcomeUnknown', data: { ...data, code: 'TURN_OUTCOME_UNKNOWN', witness: 'node' } },
  ];
};

const killed = (
  command: ReportEnd,
  run: ExistingRun,
  end: Extract<AttemptEnd, { how: 'killed' }>,
): readonly RunEvent[] => {
  switch (end.by) {
    case 'stop': // The stop itself was lost with a restore; it is stopped all the same.
      return stoppedBy(command, run, null);
    case 'time-limit':
      return unknownAfterKill(
        command,
        run,
        'its time limit passed, and its agent ended it',
        end.remains,
      );
    case 'shutdown':
      return unknownAfterKill(
        command,
        run,
        'its node-agent was shut down, and ended it',
        end.remains,
      );
  }
};

/** Ended from outside with the work in flight: gone, but what it did can't be known. Not an operator's stop. */
const unknownAfterKill = (
  command: ReportEnd,
  run: ExistingRun,
  reason: string,
  remains: readonly string[],
): readonly RunEvent[] => {
  if (remains.length === 0) return lost(command, run, reason);
  const { runId, generation, now: at } = command;
  const found = `${reason}; still there: ${remains.join(', ')}`;
  if (run.status === 'unknown') {
    // No fence: something of it is still there. Whoever looks must see what.
    if (run.lateEvidence.includes(lateEvidenceKey({ generation, evidence: found }))) return [];
    const data = { runId, at, generation, evidence: found, showsStart: false };
    return [{ type: 'LateEvidenceRecorded', data }];
  }
  const evidence = evidenceOf(command, run, found);
  const data = { runId, at, generation, evidence, fenced: false };
  return [
    { type: 'RunOutcomeUnknown', data: { ...data, code: 'TURN_OUTCOME_UNKNOWN', witness: 'node' } },
  ];
};

const settledByOf = (run: ExistingRun): 'node' | 'proof' =>
  run.status === 'unknown' ? 'proof' : 'node';

const outcome = (command: ReportEnd, run: ExistingRun) => {
  const { runId, generation, output, now: at } = command;
  const receipts = newReceipts(command.receipts, run.receipts);
  return { runId, at, generation, output, receipts, settledBy: settledByOf(run) } as const;
};

const evidenceOf = (command: ReportEnd, run: ExistingRun, reason: string): UnknownEvidence => ({
  reason,
  node: run.submission.node,
  journalId: command.journalId,
  incarnation: command.incarnation,
  receipts: { ...run.receipts, ...command.receipts },
  lastHeardAt: command.now,
});

const lateEnd = (end: AttemptEnd): string => {
  switch (end.how) {
    case 'completed':
      return 'completed';
    case 'failed':
      return `failed: ${end.code}`;
    case 'interrupted':
      return `interrupted: ${end.reason}`;
    case 'lost':
      return `lost: ${end.reason}`;
    case 'killed':
      return `killed: ${end.by}`;
  }
};
