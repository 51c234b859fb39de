import type { Entry } from '#execution/domain';
import type { RunCommand } from '#runs/domain';
import { JOURNALS, NODE_ID, RUN_ID, type Side } from './layout.js';

const BASE = { runId: RUN_ID, now: 0 } as const;
/** A logical clock: 0 is before every deadline, {@link AFTER_ALL} after; deadlines are at {@link DEADLINE}. */
export const DEADLINE = 5;
export const AFTER_ALL = 9;
const NO_OUTPUT = { bytes: 0, sha256: '', truncated: false } as const;

export const dispatchRun = (
  generation: number,
  side: Side,
  epoch: number,
  journalsAnswered: boolean,
): RunCommand => ({
  ...BASE,
  type: 'DispatchRun',
  generation,
  node: NODE_ID,
  journalId: JOURNALS[side],
  startBefore: DEADLINE,
  askAt: DEADLINE,
  epoch,
  journalsAnswered,
});

export const revokeDispatch = (
  generation: number,
  epoch: number,
  closedByJournal: boolean,
): RunCommand => ({
  ...BASE,
  type: 'RevokeDispatch',
  generation,
  reason: 'not waiting',
  epoch,
  closedByJournal,
});

export const recordOutcomeUnknown = (
  generation: number,
  side: Side,
  incarnation: string | null,
  epoch: number,
): RunCommand => ({
  ...BASE,
  type: 'RecordOutcomeUnknown',
  generation,
  code: 'RUN_OUTCOME_UNKNOWN',
  witness: 'saga',
  evidence: {
    reason: 'silence',
    node: NODE_ID,
    journalId: JOURNALS[side],
    receipts: {},
    ...(incarnation === null ? {} : { incarnation }),
  },
  fenced: false,
  epoch,
});

export const requestRunStop = (epoch: number): RunCommand => ({
  ...BASE,
  type: 'RequestRunStop',
  stopId: 'stop',
  reason: 'enough',
  principal: 'somebody',
  epoch,
});

export const resolveRun = (as: 'completed' | 'abandoned'): RunCommand => ({
  ...BASE,
  type: 'ResolveRun',
  as,
  note: 'looked',
  actor: 'somebody',
});

const ofEntry = (entry: Entry, side: Side) => ({
  ...BASE,
  generation: entry.generation,
  journalId: JOURNALS[side],
  incarnation: entry.incarnation,
});

export const claimRun = (entry: Entry, side: Side, epoch: number): RunCommand => ({
  ...ofEntry(entry, side),
  type: 'ClaimRun',
  epoch,
});

export const reportNotStarted = (entry: Entry, side: Side, epoch: number): RunCommand => ({
  ...ofEntry(entry, side),
  type: 'ReportNotStarted',
  disproves: entry.incarnation,
  proof: 'closed',
  epoch,
});

export const reportRunning = (entry: Entry, side: Side): RunCommand => ({
  ...ofEntry(entry, side),
  type: 'ReportRunning',
  evidence: 'alive',
});

export const reportReceipts = (entry: Entry, side: Side): RunCommand => ({
  ...ofEntry(entry, side),
  type: 'ReportReceipts',
  receipts: { sent: 1 },
});

/** What the journal says of an entry that is over: how it ended, or that it never started. */
export const reportOf = (entry: Entry, side: Side, epoch: number): RunCommand => {
  if (entry.end === null) return reportNotStarted(entry, side, epoch);
  const { end } = entry.end;
  const base = ofEntry(entry, side);
  return { ...base, type: 'ReportEnd', end, output: NO_OUTPUT, receipts: {}, epoch };
};
