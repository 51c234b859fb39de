import type { SpawnView } from '#contracts';
import { callerStatusOf } from '../contract/index.js';
import type { SpawnRow } from '../projection/index.js';
import { adviceFor } from './unknown-spawn.advice.js';

/** A spawn as callers see it. Pure. */
export const toSpawnView = (row: SpawnRow, waitsFor: string | null): SpawnView => ({
  spawnId: row.spawnId,
  kind: row.kind,
  agentName: row.agentName,
  harness: row.harness,
  status: callerStatusOf(row.status),
  code: row.code,
  waitsFor,
  nodeId: row.nodeId,
  nodeName: row.nodeName,
  capabilities: row.capabilities,
  directory: row.directory,
  workerCwd: row.workerCwd,
  verifyReady: row.verifyReady,
  requestedBy: row.requestedBy,
  claimedAt: timeText(row.claimedAt),
  dispatchedAt: maybeTimeText(row.dispatchedAt),
  retryAfterAt: maybeTimeText(row.retryAfterAt),
  settledAt: maybeTimeText(row.settledAt),
  updatedAt: timeText(row.updatedAt),
  round: row.round,
  generation: row.generation,
  slot: row.slot,
  agent: agentOf(row),
  stop: stopOf(row),
  unknown: unknownOf(row),
  resolution: resolutionOf(row),
  lateEvidence: row.lateEvidence,
  alarming: row.alarming,
  sequence: row.sequence,
});

/** What is known of its agent. Its own stream has the last word; before that, what its node said. */
export const agentOf = (
  row: Pick<SpawnRow, 'agent' | 'lateAgent' | 'status' | 'code'>,
): SpawnView['agent'] => {
  if (row.agent !== 'none') return row.agent;
  switch (row.lateAgent) {
    case 'lives':
      return 'alive';
    case 'gone':
      return 'none'; // Ended, or never started: in both cases there is none.
    case null:
      if (row.status === 'completed') return 'alive'; // It was started; that it ended would be known.
      // Also when its place was given back without proof.
      return row.code === 'spawn_outcome_unknown' ? 'maybe' : 'none';
  }
};

const stopOf = ({ stopId, stopRequestedAt, stopReason }: SpawnRow): SpawnView['stop'] =>
  stopId === null || stopRequestedAt === null
    ? null
    : { stopId, requestedAt: timeText(stopRequestedAt), reason: stopReason ?? '' };

const unknownOf = (row: SpawnRow): SpawnView['unknown'] =>
  !row.unanswered || row.unknownWitness === null || row.unknownSince === null
    ? null
    : {
        reason: row.unknownReason ?? '',
        witness: row.unknownWitness,
        since: timeText(row.unknownSince),
        lastHeardAt: maybeTimeText(row.unknownLastHeardAt),
        advice: adviceFor(row),
      };

const resolutionOf = (row: SpawnRow): SpawnView['resolution'] =>
  row.resolution === null || row.resolvedAt === null
    ? null
    : {
        as: row.resolution,
        note: row.resolutionNote ?? '',
        actor: row.resolutionActor ?? '',
        at: timeText(row.resolvedAt),
      };

/** RFC 3339 with milliseconds. */
export const timeText = (ms: number): string => new Date(ms).toISOString();
const maybeTimeText = (ms: number | null): string | null => (ms === null ? null : timeText(ms));
