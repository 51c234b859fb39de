import { lookAgainAt, take, wait, type NodeId, type Step } from '#kernel';
import {
  generationOf,
  type ExistingSpawn,
  type SpawnPlacement,
  type SpawnState,
} from '../domain/index.js';
import { lossOf, nextOfClaimed } from './claimed-spawn.next.js';
import { nextOfSettled } from './settled-spawn.next.js';
import { RESTORED, expiryOf, isTooOld } from './spawn-age.next.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';

/**
 * The one step that a generic spawn needs now, or what it waits for. Pure. It goes to another node for as long as it is
 * certainly unsent, and never after its claim.
 *
 * @param context of the node that it is placed on.
 * @param place the best node for it now, looked at on its own stream; null when there is none, or nobody looked.
 */
export const nextGenericSpawn = (
  spawn: SpawnState,
  context: SpawnContext,
  place: NodeId | null,
): Step<SpawnStep> => {
  if (spawn.status === 'none') return wait('its claim');
  switch (spawn.status) {
    case 'pending':
      return nextOfPending(spawn, context, place);
    case 'releasing':
      return nextOfReleasing(spawn, context, place);
    case 'dispatched':
      return nextOfDispatched(spawn, context);
    case 'claimed':
      return nextOfClaimed(spawn, context);
    case 'completed':
    case 'failed':
      return nextOfSettled(spawn, context);
  } // No default: a new status does not compile until it has its step.
};

const nextOfPending = (
  spawn: ExistingSpawn,
  context: SpawnContext,
  place: NodeId | null,
): Step<SpawnStep> => {
  if (spawn.epoch < context.epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  if (spawn.placement !== null) return nextOfPlaced(spawn, spawn.placement, context);
  return isTooOld(spawn, context) ? take({ kind: 'expire' }) : placeIn(1, spawn, context, place);
};

/** Whatever its node has against it, the round ends with that: another node may have nothing. */
const nextOfPlaced = (
  spawn: ExistingSpawn,
  { round, nodeId, until }: SpawnPlacement,
  context: SpawnContext,
): Step<SpawnStep> => {
  const { now, slot, node } = context;
  const reserved = slot.round === round;
  // A reservation that still holds means that somebody is at it.
  if (isTooOld(spawn, context) && !(reserved && now <= until)) return take({ kind: 'expire' });
  const giveUp = (reason: string): Step<SpawnStep> =>
    take({ kind: 'decideRelease', round, reason });
  const obstacle = obstacleOf(spawn, node, nodeId);
  if (obstacle !== null) return giveUp(obstacle);
  if (reserved)
    return node.journalId === null
      ? giveUp('its node has no journal')
      : take({ kind: 'dispatch', round, journalId: node.journalId });
  // Nobody can reserve this round any more: another one is needed.
  if (now > until || slot.fenced >= round) return giveUp('its time to be reserved is up');
  if (!node.hasRoom) return giveUp(`node ${node.name ?? nodeId} has no free place`);
  return take({ kind: 'reserve', round });
};

/** Given up, or taken back: its place is free before it is given another one. */
const nextOfReleasing = (
  spawn: ExistingSpawn,
  context: SpawnContext,
  place: NodeId | null,
): Step<SpawnStep> => {
  if (spawn.epoch < context.epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const round = spawn.placement?.round ?? 0;
  if (context.slot.fenced < round)
    return take({ kind: 'releaseSlot', round, reason: 'its spawn gave the place up' });
  if (isTooOld(spawn, context)) return take({ kind: 'expire' });
  return placeIn(round + 1, spawn, context, place);
};

const placeIn = (
  round: number,
  spawn: ExistingSpawn,
  context: SpawnContext,
  place: NodeId | null,
): Step<SpawnStep> =>
  place === null
    ? lookAgainAt(expiryOf(spawn, context), wantedBy(spawn))
    : take({ kind: 'intendPlacement', round, nodeId: place });

const nextOfDispatched = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { now, epoch, node, framePublished } = context;
  if (spawn.epoch < epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const generation = generationOf(spawn);
  const retryAfterAt = spawn.dispatch?.retryAfterAt ?? now;
  const name = spawn.dispatch?.nodeName ?? '';
  // Unclaimed is certainly unsent: it is taken back without asking anyone, and may go elsewhere.
  const lost = lossOf(spawn, node);
  if (lost !== null) return take({ kind: 'revoke', generation, reason: lost });
  if (now >= retryAfterAt)
    return take({ kind: 'revoke', generation, reason: `node ${name} did not take it in time` });
  if (!framePublished) return take({ kind: 'publishFrame', generation });
  return lookAgainAt(retryAfterAt, `node ${name} to take it`);
};

/** In words, what its node has against it; null when that has nothing. */
const obstacleOf = (
  { request }: ExistingSpawn,
  node: SpawnContext['node'],
  nodeId: NodeId,
): string | null => {
  const name = node.name ?? nodeId;
  if (node.liveness === 'gone') return `node ${name} has left`;
  if (!node.capable) return `node ${name} has not what it needs any more`;
  if (node.liveness !== 'alive') return `node ${name} is not online`;
  if (!node.ready) return `node ${name} is not ready for ${request.harness}`;
  return null;
};

/** In words, the node that it waits for. */
const wantedBy = ({ request }: ExistingSpawn): string => {
  const { harness, capabilities } = request;
  return capabilities.length === 0
    ? `a node that offers ${harness} with a free place`
    : `a node that offers ${harness} with ${capabilities.join(', ')} and a free place`;
};
