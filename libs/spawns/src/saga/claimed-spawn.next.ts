import { lookAgainAt, take, type Step } from '#kernel';
import { generationOf, type ExistingSpawn } from '../domain/index.js';
import { RESTORED } from './spawn-age.next.js';
import type { SpawnContext, SpawnNode, SpawnStep } from './spawn.step.js';

/** Once claimed, a spawn is its node's, however it was placed: it is asked about, and never goes elsewhere. */
export const nextOfClaimed = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { now, epoch, node, lastAskedAt, windows } = context;
  const retryAfterAt = spawn.dispatch?.retryAfterAt ?? now;
  const name = nameOf(spawn);
  if (spawn.epoch < epoch) return take({ kind: 'settleUnknown', reason: RESTORED });
  const lost = lossOf(spawn, node);
  const waitsFor = `node ${name} to say that its agent was started`;
  if (lost !== null && node.liveness !== 'silent')
    return now < retryAfterAt
      ? lookAgainAt(retryAfterAt, waitsFor)
      : take({ kind: 'settleUnknown', reason: lost });
  const again = (lastAskedAt ?? -Infinity) + windows.repeatMs;
  // One that works is left in peace until its time is up; one that fell silent is asked at once.
  const askAt = lost === null ? Math.max(retryAfterAt, again) : again;
  if (now < askAt) return lookAgainAt(askAt, waitsFor);
  return take({ kind: 'ask', generation: generationOf(spawn) });
};

/** Why nobody will ever take it, or nobody can be asked; null while neither is so. */
export const lossOf = (spawn: ExistingSpawn, node: SpawnNode): string | null => {
  const name = nameOf(spawn);
  if (node.liveness === 'gone') return `node ${name} has left`;
  if (node.journalId !== null && node.journalId !== spawn.dispatch?.journalId)
    return `node ${name} came back with another journal`;
  return node.liveness === 'silent' ? `node ${name} fell silent` : null;
};

const nameOf = ({ dispatch, request }: ExistingSpawn): string =>
  dispatch?.nodeName ?? request.nodeName ?? '';
