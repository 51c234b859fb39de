import { RuleViolation, type Decider } from '#kernel';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
import type {
  ClaimSpawn,
  DecideRelease,
  DispatchSpawn,
  ExpireSpawn,
  IntendPlacement,
  RequestAgentStop,
  ResolveSpawn,
  RevokeSpawnDispatch,
  SettleSpawnUnknown,
  SpawnCommand,
} from './spawn.commands.js';
import type { SpawnEvent } from './spawn.events.js';
import {
  claimSpawnFrame,
  reportAgentEnded,
  reportAgentNotStarted,
  reportAgentStarted,
} from './spawn.reports.js';
import {
  evolveSpawn,
  initialSpawn,
  isTerminal,
  isUnknown,
  isUnsent,
  journalOf,
  type ExistingSpawn,
  type SpawnState,
} from './spawn.state.js';

/** What follows from a command, given what has happened. Pure: time, ids and tokens come with the command. */
export const decideSpawn = (command: SpawnCommand, spawn: SpawnState): readonly SpawnEvent[] => {
  if (command.type === 'ClaimSpawn') return claim(command, spawn);
  if (spawn.status === 'none')
    throw new RuleViolation('spawn_not_found', { spawnId: command.spawnId });
  switch (command.type) {
    case 'IntendPlacement':
      return intendPlacement(command, spawn);
    case 'DecideRelease':
      return decideRelease(command, spawn);
    case 'DispatchSpawn':
      return dispatch(command, spawn);
    case 'RevokeSpawnDispatch':
      return revoke(command, spawn);
    case 'ExpireSpawn':
      return expire(command, spawn);
    case 'SettleSpawnUnknown':
      return settleUnknown(command, spawn);
    case 'ClaimSpawnFrame':
      return claimSpawnFrame(command, spawn);
    case 'ReportAgentStarted':
      return reportAgentStarted(command, spawn);
    case 'ReportAgentEnded':
      return reportAgentEnded(command, spawn);
    case 'ReportAgentNotStarted':
      return reportAgentNotStarted(command, spawn);
    case 'ResolveSpawn':
      return resolve(command, spawn);
    case 'RequestAgentStop':
      return requestAgentStop(command, spawn);
  } // No default: a new command does not compile until it is decided here.
};

const claim = (command: ClaimSpawn, spawn: SpawnState): readonly SpawnEvent[] => {
  const { type: _, now: at, place, ...facts } = command;
  const { spawnId, nodeId } = facts;
  if (spawn.status !== 'none') {
    if (spawn.request.kind !== facts.kind || spawn.request.fingerprint !== facts.fingerprint)
      throw new RuleViolation('idempotency_conflict', { spawnId });
    return []; // The same request again: the first answer stands.
  }
  const claimed = { type: 'SpawnClaimed', data: { ...facts, at } } as const;
  if (facts.kind === 'generic') return [claimed];
  if (nodeId === null || place === null)
    throw new RuleViolation('spawn.strict_without_node', { spawnId });
  // One commit: a strict claim never exists without the node that it is for.
  return [
    claimed,
    { type: 'SpawnPlacementIntended', data: { spawnId, at, round: 1, nodeId, ...place } },
  ];
};

const intendPlacement = (command: IntendPlacement, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, round, nodeId, until, released, now: at } = command;
  const { placement, request, status } = spawn;
  const isNext = round === (placement?.round ?? 0) + 1;
  const isDue = placement === null ? status === 'pending' : status === 'releasing' && released;
  if (!isNext || !isDue) throw new RuleViolation('spawn.not_placeable', { spawnId, status, round });
  if (request.nodeId !== null && request.nodeId !== nodeId)
    throw new RuleViolation('spawn.other_node', { spawnId, nodeId });
  const token = placement?.token ?? command.token;
  return [{ type: 'SpawnPlacementIntended', data: { spawnId, at, round, token, nodeId, until } }];
};

const decideRelease = (command: DecideRelease, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, round, reason, now: at } = command;
  if (spawn.status !== 'pending' || spawn.placement?.round !== round)
    throw new RuleViolation('spawn.not_releasable', { spawnId, status: spawn.status, round });
  return [{ type: 'SpawnReservationReleaseDecided', data: { spawnId, at, round, reason } }];
};

const dispatch = (command: DispatchSpawn, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, round, slot, nodeName, journalId, retryAfterAt, epoch, now: at } = command;
  const { placement, request, status } = spawn;
  if (status !== 'pending' || placement?.round !== round)
    throw new RuleViolation('spawn.not_dispatchable', { spawnId, status, round });
  if (slot?.round !== round) throw new RuleViolation('spawn.no_slot', { spawnId, round });
  // What was lost with a restore may have been started.
  if (spawn.epoch < epoch) throw new RuleViolation('spawn.older_epoch', { spawnId, epoch });
  // What is stored is checked again: a row that is no strict claim is never carried out as one.
  if (request.kind === 'strict' && !isStrictClaim(spawn))
    throw new RuleViolation('spawn.invalid_contract', { spawnId });
  const { token, nodeId } = placement;
  const generation = (spawn.dispatch?.generation ?? 0) + 1;
  const data = { spawnId, at, round, token, generation, nodeId, nodeName, journalId } as const;
  const { reservedAt } = slot;
  return [{ type: 'SpawnDispatched', data: { ...data, reservedAt, retryAfterAt, epoch } }];
};

/** It carries the contract, and is bound to one node by id and name. */
export const isStrictClaim = ({ request, placement, dispatch }: ExistingSpawn): boolean =>
  request.kind === 'strict' &&
  request.contract === STRICT_SPAWN_CONTRACT &&
  request.nodeId !== null &&
  request.nodeName !== null &&
  placement?.nodeId === request.nodeId &&
  (dispatch === null || dispatch.nodeId === request.nodeId);

const revoke = (command: RevokeSpawnDispatch, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, generation, reason, epoch, now: at } = command;
  if (spawn.status !== 'dispatched' || spawn.dispatch?.generation !== generation)
    throw new RuleViolation('spawn.not_revocable', { spawnId, status: spawn.status, generation });
  if (spawn.epoch < epoch)
    throw new RuleViolation('spawn.maybe_claimed_before_restore', { spawnId, generation });
  const revoked = {
    type: 'SpawnDispatchRevoked',
    data: { spawnId, at, generation, reason },
  } as const;
  switch (spawn.request.kind) {
    case 'strict': // One generation, on one node: there is nothing else that it could become.
      return [
        revoked,
        { type: 'SpawnFailed', data: { spawnId, at, code: 'never_received', reason } },
      ];
    case 'generic': // Certainly unsent: it may be placed anew, elsewhere.
      return [revoked];
  }
};

const expire = (command: ExpireSpawn, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, windowMs, now: at } = command;
  const ageMs = at - spawn.claimedAt;
  if (!isUnsent(spawn) || ageMs < windowMs) return [];
  const data = { spawnId, at, code: 'never_dispatched_expired', ageMs } as const;
  return [{ type: 'SpawnExpired', data }];
};

const settleUnknown = (
  command: SettleSpawnUnknown,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] => {
  const { spawnId, witness, evidence, epoch, now: at } = command;
  // Of an older epoch: it may have been claimed, and the restore forgot it.
  const isUncertain = spawn.status === 'claimed' || (!isTerminal(spawn) && spawn.epoch < epoch);
  if (!isUncertain) return [];
  const data = { spawnId, at, code: 'spawn_outcome_unknown', witness, evidence } as const;
  return [{ type: 'SpawnSettledUnknown', data }];
};

const resolve = (command: ResolveSpawn, spawn: ExistingSpawn): readonly SpawnEvent[] => {
  const { spawnId, as, note, actor, now: at } = command;
  if (!isUnknown(spawn) || spawn.lateAgent === 'gone' || spawn.resolution === 'free')
    throw new RuleViolation('spawn_not_unknown', { spawnId, status: spawn.status });
  if (as === 'adopt' && spawn.lateAgent !== 'lives')
    throw new RuleViolation('spawn_agent_not_seen', { spawnId });
  // Nobody knows whom to tell: it can only be freed.
  if (as === 'stop' && journalOf(spawn) === null)
    throw new RuleViolation('spawn_agent_not_seen', { spawnId });
  if (spawn.resolution === as) return [];
  return [{ type: 'SpawnResolved', data: { spawnId, at, as, note, actor } }];
};

const requestAgentStop = (
  command: RequestAgentStop,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] => {
  const { spawnId, stopId, reason, principal, now: at } = command;
  if (spawn.status !== 'completed')
    throw new RuleViolation('spawn_has_no_agent', { spawnId, status: spawn.status });
  if (spawn.agentStop !== null) return [];
  return [{ type: 'SpawnAgentStopRequested', data: { spawnId, at, stopId, reason, principal } }];
};

export const SPAWN: Decider<SpawnCommand, SpawnState, SpawnEvent> = {
  aggregate: 'spawn',
  initialState: initialSpawn,
  evolve: evolveSpawn,
  decide: decideSpawn,
};
