import type { RunView, UnknownView } from '#contracts';
import type { RunRow } from '../projection/index.js';
import { adviceFor } from './unknown-advice.js';

/** A run as callers see it. Pure. */
export const toRunView = (row: RunRow, waitsFor: string | null): RunView => ({
  runId: row.runId,
  sessionId: row.sessionId,
  agent: row.agent,
  node: row.node,
  status: row.status,
  waitsFor,
  code: row.code,
  settledBy: row.settledBy,
  submittedBy: row.submittedBy,
  submittedAt: timeText(row.submittedAt),
  dispatchedAt: maybeTimeText(row.dispatchedAt),
  startedAt: maybeTimeText(row.startedAt),
  endedAt: maybeTimeText(row.endedAt),
  updatedAt: timeText(row.updatedAt),
  generation: row.generation,
  attempts: row.attempts,
  attemptsMax: row.attemptsMax,
  runtime: row.runtime,
  receipts: {
    sentAt: maybeTimeText(row.sentAt),
    ackedAt: maybeTimeText(row.ackedAt),
    observedAt: maybeTimeText(row.observedAt),
    thread: row.thread,
    turn: row.turn,
  },
  exitCode: row.exitCode,
  output: outputOf(row),
  stop: stopOf(row),
  unknown: unknownOf(row),
  lateEvidence: row.lateEvidence,
  alarming: row.alarming,
  sequence: row.sequence,
});

const outputOf = ({ outputBytes, outputSha256, outputTruncated }: RunRow): RunView['output'] =>
  outputBytes === null || outputSha256 === null
    ? null
    : { bytes: outputBytes, sha256: outputSha256, truncated: outputTruncated === true };

const stopOf = ({ stopId, stopRequestedAt, stopReason }: RunRow): RunView['stop'] =>
  stopId === null || stopRequestedAt === null
    ? null
    : { stopId, requestedAt: timeText(stopRequestedAt), reason: stopReason ?? '' };

const unknownOf = (row: RunRow): UnknownView | null =>
  row.unknownCode === null || row.unknownWitness === null || row.unknownSince === null
    ? null
    : {
        code: row.unknownCode,
        witness: row.unknownWitness,
        reason: row.unknownReason ?? '',
        fenced: row.unknownFenced === true,
        since: timeText(row.unknownSince),
        lastHeardAt: maybeTimeText(row.unknownLastHeardAt),
        advice: adviceFor(row),
      };

/** RFC 3339 with milliseconds. */
export const timeText = (ms: number): string => new Date(ms).toISOString();
const maybeTimeText = (ms: number | null): string | null => (ms === null ? null : timeText(ms));
