import type { NodeId } from '#kernel';
import type { SlotCommand } from '#nodes/domain';
import type { SpawnCommand } from '#spawns/domain';
import type { SpawnContext, SpawnStep } from '#spawns/saga';
import {
  EPOCH,
  MOMENTS,
  NODE_IDS,
  NOW,
  SPAWN,
  WINDOWS,
  journalOf,
  type Work,
} from './spawn.world.js';

const OTHER = 'y';

/** What a step appends on the spawn; null for what it does elsewhere. */
export const commandOf = (step: SpawnStep, { slot, node }: SpawnContext): SpawnCommand | null => {
  const nodeId = node.name ?? '';
  const base = { spawnId: SPAWN, now: NOW };
  switch (step.kind) {
    case 'dispatch': {
      const { round, journalId } = step;
      const held = slot.round === null ? null : { round: slot.round, reservedAt: NOW };
      const dispatch = { round, journalId, slot: held, nodeName: nodeId, epoch: EPOCH } as const;
      const retryAfterAt = NOW + WINDOWS.retryAfterMs;
      return { type: 'DispatchSpawn', ...base, ...dispatch, retryAfterAt };
    }
    case 'decideRelease':
      return { type: 'DecideRelease', ...base, round: step.round, reason: 'released' };
    case 'intendPlacement': {
      const released = slot.fenced >= step.round - 1;
      const until = NOW + WINDOWS.reservationMs;
      const to = { round: step.round, nodeId: step.nodeId ?? nodeId } as const;
      return { type: 'IntendPlacement', ...base, ...to, token: 'token', until, released };
    }
    case 'expire':
      return { type: 'ExpireSpawn', ...base, now: MOMENTS[2], windowMs: WINDOWS.neverDispatchedMs };
    case 'revoke': {
      const { generation } = step;
      return { type: 'RevokeSpawnDispatch', ...base, generation, reason: 'late', epoch: EPOCH };
    }
    case 'ask': // Whoever is not answered, and may wait no longer, says so.
    case 'settleUnknown': {
      const silence = { reason: 'silent', nodeId, journalId: journalOf(nodeId) };
      const evidence = { ...silence, incarnation: null, lastHeardAt: null };
      return { type: 'SettleSpawnUnknown', ...base, witness: 'saga', evidence, epoch: EPOCH };
    }
    case 'reserve':
    case 'releaseSlot':
    case 'occupySlot':
    case 'publishFrame':
    case 'sendStop':
      return null;
  }
};

/** What a step appends on the node; null for the others. */
export const slotCommandOf = (step: SpawnStep, nodeId: NodeId): SlotCommand | null => {
  const base = { nodeId, spawnId: SPAWN, now: NOW } as const;
  const until = NOW + WINDOWS.reservationMs;
  switch (step.kind) {
    case 'reserve':
      return { type: 'ReserveSlot', ...base, round: step.round, token: 'token', snapshot, until };
    case 'releaseSlot':
      return { type: 'ReleaseSlot', ...base, round: step.round, until, reason: 'released' };
    case 'occupySlot':
      return { type: 'OccupySlot', ...base, round: step.round };
    case 'dispatch':
    case 'decideRelease':
    case 'intendPlacement':
    case 'expire':
    case 'revoke':
    case 'ask':
    case 'settleUnknown':
    case 'publishFrame':
    case 'sendStop':
      return null;
  }
};
const snapshot = { nodeName: 'n', agentName: 'a', harness: 'h' };

/** The other spawn takes a slot, or gives it back. */
export const otherCommand = (other: number): SlotCommand => {
  const round = Math.floor(other / 2) + 1;
  const base = { nodeId: NODE_IDS[0], spawnId: OTHER, now: NOW, round } as const;
  const until = NOW + WINDOWS.reservationMs;
  return other % 2 === 0
    ? { type: 'ReserveSlot', ...base, token: OTHER, snapshot, until }
    : { type: 'ReleaseSlot', ...base, until, reason: 'ended' };
};

/** Whose word it is: a generation, and the node that it was sent to. */
export interface Holder {
  readonly generation: number;
  readonly nodeId: NodeId;
  readonly incarnation: number;
}
const sayingsOf = ({ generation, nodeId, incarnation }: Holder) => ({
  spawnId: SPAWN,
  now: NOW,
  generation,
  journalId: journalOf(nodeId),
  incarnation: String(incarnation),
});

/** What a node may say of a generation, by what its journal holds. */
export const reportOf = (holder: Holder, work: Work): SpawnCommand | null => {
  const by = sayingsOf(holder);
  switch (work) {
    case '-':
    case 'asks':
    case 'granted':
      return null;
    case 'running':
      return { type: 'ReportAgentStarted', ...by, evidence: 'alive', workerCwd: null };
    case 'ended':
      return { type: 'ReportAgentEnded', ...by, evidence: 'exit 0', workerCwd: null };
    case 'closed':
      return { type: 'ReportAgentNotStarted', ...by, disproves: '1', proof: 'no go' };
  }
};

export const claimOf = (holder: Holder): SpawnCommand => ({
  type: 'ClaimSpawnFrame',
  ...sayingsOf(holder),
  epoch: EPOCH,
});
