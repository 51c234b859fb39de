import { RuleViolation, type Epoch } from '#kernel';
import { isSettled, type Receipts } from '../contract/index.js';
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
export const speaksForClaim = (command: OfNode, run: ExistingRun): boolean =>
  command.generation === run.generation &&
  (run.status === 'running' || run.status === 'stopping' || run.status === 'unknown') &&
  (run.claim ?? run.dispatch)?.journalId === command.journalId;

/** True and too late: recorded once, changes nothing. */
export const tooLate = (
  command: OfNode,
  run: ExistingRun,
  evidence: string,
): readonly RunEvent[] => {
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
export const isOfOlderEpoch = (run: ExistingRun, epoch: Epoch): boolean => run.epoch < epoch;

export const reportReceipts = (command: ReportReceipts, run: ExistingRun): readonly RunEvent[] => {
  const { runId, generation, now: at } = command;
  if (!speaksForClaim(command, run)) return tooLate(command, run, 'receipts');
  const receipts = newReceipts(command.receipts, run.receipts);
  if (Object.keys(receipts).length === 0) return [];
  return [{ type: 'RunReceiptsRecorded', data: { runId, at, generation, receipts } }];
};

/** Only what is not recorded yet: a repeated report adds nothing. */
export const newReceipts = (reported: Receipts, recorded: Receipts): Receipts =>
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
