import { fold } from '#kernel';
import { STRICT_SPAWN_CONTRACT, type SpawnResolution } from '../contract/index.js';
import type { SpawnCommand } from './spawn.commands.js';
import type { SpawnEvent } from './spawn.events.js';
import { evolveSpawn, initialSpawn, type ExistingSpawn } from './spawn.state.js';

/** Facts that all specs of spawns share. Times are small numbers: no rule reads a calendar. */
export const spawnId = 'spawn-1';
export const nodeId = 'node-1';
export const otherNode = 'node-2';
export const journalId = 'journal-1';
export const otherJournal = 'journal-2';
export const incarnation = 'incarnation-1';
export const otherIncarnation = 'incarnation-2';
export const stopId = 'stop-1';
export const token = 'a1'.repeat(16);
export const otherToken = 'b2'.repeat(16);
export const now = 1_000;
export const until = 31_000;
export const reservedAt = 400;
export const retryAfterAt = 32_000;
const at = now;

type EventOf<Type extends SpawnEvent['type']> = Extract<SpawnEvent, { type: Type }>;
type CommandOf<Type extends SpawnCommand['type']> = Extract<SpawnCommand, { type: Type }>;

const facts = {
  kind: 'strict',
  contract: STRICT_SPAWN_CONTRACT,
  principal: 'principal-1',
  key: 'key-1',
  fingerprint: 'fingerprint-1',
  nodeId,
  nodeName: 'builder',
  capabilities: [],
  agentName: 'agent-1',
  harness: 'claude',
  task: 'Say hello.',
  directory: null,
  verifyReady: false,
  epoch: 1,
} as const;
const genericFacts = {
  ...facts,
  kind: 'generic',
  contract: null,
  nodeId: null,
  nodeName: null,
  capabilities: ['linux'],
} as const;

export const claimed: EventOf<'SpawnClaimed'> = {
  type: 'SpawnClaimed',
  data: { spawnId, ...facts, at },
};
export const claimedGeneric: EventOf<'SpawnClaimed'> = {
  type: 'SpawnClaimed',
  data: { spawnId, ...genericFacts, at },
};
/** The first round of a strict spawn, as its claim intends it. */
export const placedByClaim: EventOf<'SpawnPlacementIntended'> = {
  type: 'SpawnPlacementIntended',
  data: { spawnId, at, round: 1, nodeId, token, until },
};
export const placed = (round: number): EventOf<'SpawnPlacementIntended'> => ({
  type: 'SpawnPlacementIntended',
  data: { spawnId, at, round, token, nodeId, until },
});
export const releaseDecided = (round = 1): SpawnEvent => ({
  type: 'SpawnReservationReleaseDecided',
  data: { spawnId, at, round, reason: 'not ready' },
});
export const dispatched = (
  data: Partial<EventOf<'SpawnDispatched'>['data']> = {},
): EventOf<'SpawnDispatched'> => ({
  type: 'SpawnDispatched',
  data: {
    spawnId,
    at,
    round: 1,
    token,
    generation: 1,
    nodeId,
    nodeName: 'builder',
    journalId,
    reservedAt,
    retryAfterAt,
    epoch: 1,
    ...data,
  },
});
export const revoked = (generation = 1): SpawnEvent => ({
  type: 'SpawnDispatchRevoked',
  data: { spawnId, at, generation, reason: 'silence' },
});
export const frameClaimed = (generation = 1): SpawnEvent => ({
  type: 'SpawnFrameClaimed',
  data: { spawnId, at, generation, journalId, incarnation },
});
export const completed: SpawnEvent = {
  type: 'SpawnCompleted',
  data: { spawnId, at, generation: 1, evidence: 'pid 7', workerCwd: '/work' },
};
export const failed = (
  code: 'never_received' | 'agent_not_started' = 'never_received',
  reason = 'silence',
): SpawnEvent => ({ type: 'SpawnFailed', data: { spawnId, at, code, reason } });
export const expired = (ageMs = 600_000): SpawnEvent => ({
  type: 'SpawnExpired',
  data: { spawnId, at: now + ageMs, code: 'never_dispatched_expired', ageMs },
});
export const evidence = {
  reason: 'silence',
  nodeId,
  journalId,
  incarnation,
  lastHeardAt: 900,
} as const;
export const unknown: SpawnEvent = {
  type: 'SpawnSettledUnknown',
  data: { spawnId, at, code: 'spawn_outcome_unknown', witness: 'saga', evidence },
};
export const late = (
  agent: 'lives' | 'gone',
  what: string,
  data: { readonly generation?: number; readonly showsStart?: boolean } = {},
): EventOf<'SpawnLateEvidenceRecorded'> => ({
  type: 'SpawnLateEvidenceRecorded',
  data: { spawnId, at, generation: 1, agent, evidence: what, showsStart: false, ...data },
});
export const seenAlive = late('lives', 'its agent was seen alive: pid 7');
export const seenGone = late('gone', 'its agent has ended: exit 0');
export const resolved = (as: SpawnResolution): SpawnEvent => ({
  type: 'SpawnResolved',
  data: { spawnId, at, as, note: 'looked', actor: 'principal-2' },
});
export const agentStopRequested: SpawnEvent = {
  type: 'SpawnAgentStopRequested',
  data: { spawnId, at, stopId, reason: 'enough', principal: 'principal-1' },
};

/** Histories that end in each status. */
export const PENDING: readonly SpawnEvent[] = [claimed, placedByClaim];
export const GENERIC: readonly SpawnEvent[] = [claimedGeneric];
export const RELEASING: readonly SpawnEvent[] = [...PENDING, releaseDecided()];
export const DISPATCHED: readonly SpawnEvent[] = [...PENDING, dispatched()];
export const CLAIMED: readonly SpawnEvent[] = [...DISPATCHED, frameClaimed()];
export const COMPLETED: readonly SpawnEvent[] = [...CLAIMED, completed];
export const NEVER_RECEIVED: readonly SpawnEvent[] = [...DISPATCHED, revoked(), failed()];
export const NOT_STARTED: readonly SpawnEvent[] = [
  ...CLAIMED,
  failed('agent_not_started', 'closed'),
];
export const EXPIRED: readonly SpawnEvent[] = [...PENDING, expired()];
export const UNKNOWN: readonly SpawnEvent[] = [...CLAIMED, unknown];
/** Dispatched, or not even that, before a restore that may have forgotten more. */
export const UNKNOWN_UNCLAIMED: readonly SpawnEvent[] = [...PENDING, unknown];
/** A generic spawn that was dispatched, in its second generation, after the first was taken back. */
export const GENERIC_AGAIN: readonly SpawnEvent[] = [
  claimedGeneric,
  placed(1),
  dispatched(),
  revoked(),
  placed(2),
  dispatched({ round: 2, generation: 2 }),
];

const base = { spawnId, now };
const ofGeneration = { ...base, generation: 1, journalId, incarnation };

export const claim: CommandOf<'ClaimSpawn'> = {
  type: 'ClaimSpawn',
  now,
  spawnId,
  ...facts,
  place: { token, until },
};
export const claimGeneric: CommandOf<'ClaimSpawn'> = {
  type: 'ClaimSpawn',
  now,
  spawnId,
  ...genericFacts,
  place: null,
};
export const intendPlacement = (
  more: Partial<CommandOf<'IntendPlacement'>> = {},
): CommandOf<'IntendPlacement'> => ({
  type: 'IntendPlacement',
  ...base,
  round: 2,
  nodeId,
  token: otherToken,
  until,
  released: true,
  ...more,
});
export const decideRelease = (round = 1): CommandOf<'DecideRelease'> => ({
  type: 'DecideRelease',
  ...base,
  round,
  reason: 'not ready',
});
export const dispatch = (
  more: Partial<CommandOf<'DispatchSpawn'>> = {},
): CommandOf<'DispatchSpawn'> => ({
  type: 'DispatchSpawn',
  ...base,
  round: 1,
  slot: { round: 1, reservedAt },
  nodeName: 'builder',
  journalId,
  retryAfterAt,
  epoch: 1,
  ...more,
});
export const revoke = (
  more: Partial<CommandOf<'RevokeSpawnDispatch'>> = {},
): CommandOf<'RevokeSpawnDispatch'> => ({
  type: 'RevokeSpawnDispatch',
  ...base,
  generation: 1,
  reason: 'silence',
  epoch: 1,
  ...more,
});
export const expire = (ageMs = 600_000): CommandOf<'ExpireSpawn'> => ({
  type: 'ExpireSpawn',
  spawnId,
  now: now + ageMs,
  windowMs: 600_000,
});
export const settleUnknown = (epoch = 1): CommandOf<'SettleSpawnUnknown'> => ({
  type: 'SettleSpawnUnknown',
  ...base,
  witness: 'saga',
  evidence,
  epoch,
});
export const claimFrame = (
  more: Partial<CommandOf<'ClaimSpawnFrame'>> = {},
): CommandOf<'ClaimSpawnFrame'> => ({
  type: 'ClaimSpawnFrame',
  ...ofGeneration,
  epoch: 1,
  ...more,
});
export const started = (
  more: Partial<CommandOf<'ReportAgentStarted'>> = {},
): CommandOf<'ReportAgentStarted'> => ({
  type: 'ReportAgentStarted',
  ...ofGeneration,
  evidence: 'pid 7',
  workerCwd: '/work',
  ...more,
});
export const ended = (
  more: Partial<CommandOf<'ReportAgentEnded'>> = {},
): CommandOf<'ReportAgentEnded'> => ({
  type: 'ReportAgentEnded',
  ...ofGeneration,
  evidence: 'exit 0',
  workerCwd: '/work',
  ...more,
});
export const notStarted = (
  more: Partial<CommandOf<'ReportAgentNotStarted'>> = {},
): CommandOf<'ReportAgentNotStarted'> => ({
  type: 'ReportAgentNotStarted',
  ...ofGeneration,
  disproves: incarnation,
  proof: 'closed',
  ...more,
});
export const resolve = (as: SpawnResolution): CommandOf<'ResolveSpawn'> => ({
  type: 'ResolveSpawn',
  ...base,
  as,
  note: 'looked',
  actor: 'principal-2',
});
export const requestAgentStop = (id = stopId): CommandOf<'RequestAgentStop'> => ({
  type: 'RequestAgentStop',
  ...base,
  stopId: id,
  reason: 'enough',
  principal: 'principal-1',
});

/** The spawn after a history. */
export const spawnAfter = (history: readonly SpawnEvent[]): ExistingSpawn => {
  const spawn = fold(evolveSpawn, initialSpawn(spawnId), history);
  if (spawn.status === 'none') throw new Error('the history does not begin with a claim');
  return spawn;
};
