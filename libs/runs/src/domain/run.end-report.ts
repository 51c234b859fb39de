import { attemptsMax, type AttemptEnd, type UnknownEvidence } from '../contract/index.js';
import type { ReportEnd } from './run.commands.js';
import type { RunEvent } from './run.events.js';
import { isOfOlderEpoch, newReceipts, speaksForClaim, tooLate } from './run.reports.js';
import { lateEvidenceKey, mayGoOn, type ExistingRun } from './run.state.js';

/** What the end of an attempt, as its node proves it, makes of the run. */
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
  const remains = remainsOf(end, run);
  const lateOutcome = end.how === 'killed' ? null : lateEnd(end);
  const settledBy = settledByOf(run);
  const whole = end.how === 'killed' ? 'process-group-gone' : 'ended-by-itself';
  const proof = remains.length === 0 ? whole : 'none';
  return [
    { type: 'RunStopped', data: { runId, at, stopId, proof, remains, lateOutcome, settledBy } },
  ];
};

/** What of it is not shown to have stopped: what its node could not end, or could not ask about. */
const remainsOf = (end: AttemptEnd, run: ExistingRun): readonly string[] => {
  switch (end.how) {
    case 'killed':
      return end.remains;
    case 'interrupted':
    case 'lost':
      return mayGoOn(run);
    case 'completed':
    case 'failed':
      return [];
  }
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
