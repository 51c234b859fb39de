import { lookAgainAt, take, wait, type Step } from '#kernel';
import { generationOf, type ExistingSpawn, type SpawnState } from '../domain/index.js';
import { lossOf, nextOfClaimed } from './claimed-spawn.next.js';
import { nextOfSettled } from './settled-spawn.next.js';
import { RESTORED, expiryOf, isTooOld } from './spawn-age.next.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';

/**
 * The one step that a strict spawn needs now, on the one node that was named, or what it waits for. Pure: a handler inside
 * of its request, a saga, a sweep and a restart all ask here.
 */
export const nextStrictSpawn = (spawn: SpawnState, context: SpawnContext): Step<SpawnStep> => {
  if (spawn.status === 'none') return wait('its claim');
  switch (spawn.status) {
    case 'pending':
      return nextOfPending(spawn, context);
    case 'releasing':
      return nextOfReleasing(spawn, context);
    case 'dispatched':
      return nextOfDispatched(spawn, context);
    case 'claimed':
      return nextOfClaimed(spawn, context);
    case 'completed':
    case 'failed':
      return nextOfSettled(spawn, context);
  } // No default: a new status does not compile until it has its step.
};

const nextOfPending = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { now, epoch, slot, node } = context;
  if (spawn.epoch < epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const round = spawn.placement?.round ?? 0;
  const until = spawn.placement?.until ?? now;
  const reserved = slot.round === round;
  // A reservation that still holds means that somebody is at it.
  if (isTooOld(spawn, context) && !(reserved && now <= until)) return take({ kind: 'expire' });
  const obstacle = obstacleOf(spawn, context);
  // Whoever demands readiness is refused, and is not to get it behind their back: the round ends with that.
  if (obstacle !== null && spawn.request.verifyReady)
    return take({ kind: 'decideRelease', round, reason: obstacle });
  if (reserved) {
    if (obstacle !== null) return take({ kind: 'decideRelease', round, reason: obstacle });
    return node.journalId === null
      ? take({ kind: 'decideRelease', round, reason: 'its node has no journal' })
      : take({ kind: 'dispatch', round, journalId: node.journalId });
  }
  // Nobody can reserve this round any more: another one is needed.
  if (now > until || slot.fenced >= round)
    return take({ kind: 'decideRelease', round, reason: 'its time to be reserved is up' });
  if (obstacle !== null) return lookAgainAt(expiryOf(spawn, context), obstacle);
  if (!node.hasRoom)
    return spawn.request.verifyReady
      ? take({ kind: 'decideRelease', round, reason: fullOf(spawn) })
      : lookAgainAt(expiryOf(spawn, context), fullOf(spawn));
  return take({ kind: 'reserve', round });
};

const nextOfReleasing = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { epoch, slot, node } = context;
  if (spawn.epoch < epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const round = spawn.placement?.round ?? 0;
  if (slot.fenced < round)
    return take({ kind: 'releaseSlot', round, reason: 'its spawn gave the place up' });
  if (isTooOld(spawn, context)) return take({ kind: 'expire' });
  if (spawn.request.verifyReady && !context.callerAsks)
    return lookAgainAt(expiryOf(spawn, context), 'its caller to ask again');
  const obstacle = obstacleOf(spawn, context) ?? (node.hasRoom ? null : fullOf(spawn));
  if (obstacle !== null) return lookAgainAt(expiryOf(spawn, context), obstacle);
  return take({ kind: 'intendPlacement', round: round + 1 });
};

const nextOfDispatched = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { now, epoch, node, framePublished } = context;
  if (spawn.epoch < epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const generation = generationOf(spawn);
  const retryAfterAt = spawn.dispatch?.retryAfterAt ?? now;
  const name = nameOf(spawn);
  // Unclaimed is certainly unsent: it is taken back without asking anyone.
  const lost = lossOf(spawn, node);
  if (lost !== null) return take({ kind: 'revoke', generation, reason: lost });
  if (now >= retryAfterAt)
    return take({ kind: 'revoke', generation, reason: `node ${name} did not take it in time` });
  if (!framePublished) return take({ kind: 'publishFrame', generation });
  return lookAgainAt(retryAfterAt, `node ${name} to take it`);
};

/** In words, what keeps the one node from taking it; null when nothing does. No other node is ever looked at. */
const obstacleOf = (spawn: ExistingSpawn, { node }: SpawnContext): string | null => {
  const name = nameOf(spawn);
  const { harness } = spawn.request;
  if (node.liveness === 'gone') return `node ${name} to join again`;
  if (node.name !== null && node.name !== spawn.request.nodeName)
    return `node ${spawn.request.nodeId ?? ''} to be called ${name} again`;
  if (!node.capable) return `node ${name} to offer ${harness}`;
  if (node.liveness !== 'alive') return `node ${name} to come online`;
  if (!node.ready) return `node ${name} to be ready for ${harness}`;
  return null;
};

const fullOf = (spawn: ExistingSpawn): string => `a free slot on node ${nameOf(spawn)}`;

const nameOf = ({ request }: ExistingSpawn): string => request.nodeName ?? '';
