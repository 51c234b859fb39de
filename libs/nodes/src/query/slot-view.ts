import type { SlotView } from '#contracts';
import type { SpawnBrief } from '#spawns/contract';
import type { SlotRow } from '../projection/index.js';

/**
 * A place that is taken, as callers see it. Pure.
 *
 * @param spawn who holds it; undefined when the read model of spawns has none of that id.
 */
export const toSlotView = (row: SlotRow, spawn: SpawnBrief | undefined): SlotView => ({
  spawnId: row.spawnId,
  agentName: row.agentName,
  harness: row.harness,
  state: row.state === 'occupied' ? 'occupied' : 'reserved',
  round: row.round,
  since: new Date(row.since).toISOString(),
  why: whyOf(row, spawn),
});

/** Why it is held, in a plain sentence. */
const whyOf = ({ agentName, state }: SlotRow, spawn: SpawnBrief | undefined): string => {
  if (spawn === undefined) return `held for ${agentName}, whose spawn is not known here`;
  if (spawn.agent === 'ended')
    return `agent ${agentName} has ended, and its place is being given back`;
  if (spawn.unanswered) return whyUnanswered(agentName, spawn);
  if (spawn.isStopping) return `agent ${agentName} is to end`;
  if (state === 'occupied') return `agent ${agentName} runs`;
  switch (spawn.status) {
    case 'pending':
    case 'dispatched':
      return `reserved for ${agentName}, not yet started`;
    case 'claimed':
      return `reserved for ${agentName}, which may be starting`;
    case 'completed':
      return `agent ${agentName} runs`; // Its reservation is about to become its place.
    case 'releasing':
    case 'failed':
      return `${agentName} was not started, and its place is being given back`;
  } // No default: a new status does not compile until it says why its place is held.
};

const whyUnanswered = (agentName: string, { agent, resolution }: SpawnBrief): string => {
  if (resolution === 'stop') return `agent ${agentName} is to end`;
  return agent === 'alive'
    ? `agent ${agentName} runs, though its spawn was given up: an operator stops it, or adopts it`
    : `nobody could say whether ${agentName} was started: ask an operator or wait for the node`;
};
