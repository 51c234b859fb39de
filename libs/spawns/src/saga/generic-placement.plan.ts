import type { NodeId } from '#kernel';
import type { ExistingSpawn } from '../domain/index.js';
import type { NodeHint } from './node-catalog.port.js';
import { canHost } from './spawn.surroundings.js';
import type { SpawnNode } from './spawn.step.js';

/**
 * Nodes that may have a place for a generic spawn, the best one first: the one with the most free places. Whoever looks at
 * the same hints comes to the same order. The node that it was taken back from comes after all others.
 */
export const placesFor = (
  { request, dispatch }: ExistingSpawn,
  hints: readonly NodeHint[],
): readonly NodeId[] =>
  hints
    .filter((hint) => !hint.drained && hint.free > 0 && canHost(hint, request))
    .sort((one, other) => {
      const [first, second] = [one, other].map(({ nodeId }) => nodeId === dispatch?.nodeId);
      if (first !== second) return first ? 1 : -1;
      if (one.free !== other.free) return other.free - one.free;
      return one.nodeId < other.nodeId ? -1 : 1;
    })
    .map(({ nodeId }) => nodeId);

/** What a node's own stream, and whoever judges its life, must say before a spawn is placed on it. */
export const hasPlace = ({ liveness, journalId, capable, ready, hasRoom }: SpawnNode): boolean =>
  liveness === 'alive' && journalId !== null && capable && ready && hasRoom;
