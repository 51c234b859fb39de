import { lookAgainAt, nothing, take, wait, type JournalId, type Step } from '#kernel';
import { generationOf, isUnknown, journalOf, type ExistingSpawn } from '../domain/index.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';

/**
 * What is left to do once callers have their answer: the slot follows the agent. Settled with a slot that is not given back
 * is a step that is due, whoever held it up.
 */
export const nextOfSettled = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  if (spawn.status === 'completed') return nextOfAgent(spawn, context);
  return isUnknown(spawn)
    ? nextOfUnknown(spawn, context)
    : free(spawn, context, 'its spawn failed');
};

/** Its agent takes the slot, and gives it back when it ends. */
const nextOfAgent = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { slot, agent } = context;
  if (agent === 'ended') return free(spawn, context, 'its agent has ended');
  // Nobody is left who could say that it has ended: its place would be held for ever.
  if (hasOtherJournal(spawn, context.node.journalId))
    return free(spawn, context, 'its node has another journal');
  if (slot.state === 'reserved' && slot.round !== null)
    return take({ kind: 'occupySlot', round: slot.round });
  return spawn.agentStop === null ? nothing : stop(spawn, context);
};

/** An agent may be alive: the slot is held until its node says, is gone for good, or an operator decides. */
const nextOfUnknown = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { slot, agent, node, now, lastAskedAt, windows } = context;
  if (slot.state === 'none' && slot.fenced >= roundOf(spawn)) return nothing;
  if (spawn.lateAgent === 'gone' || agent === 'ended')
    return free(spawn, context, 'no agent of it lives');
  if (spawn.resolution === 'free') return free(spawn, context, 'an operator freed it');
  if (node.liveness === 'gone') return free(spawn, context, 'its node has left');
  if (hasOtherJournal(spawn, node.journalId))
    return free(spawn, context, 'its node has another journal');
  if (spawn.resolution === 'stop') return stop(spawn, context);
  if (spawn.resolution === 'adopt')
    return slot.state === 'reserved' && slot.round !== null
      ? take({ kind: 'occupySlot', round: slot.round })
      : nothing;
  if (spawn.lateAgent === 'lives')
    return wait('an operator: its agent is alive; stop it, or adopt it');
  if (node.liveness !== 'alive') return wait('its node to come back, or an operator');
  const again = (lastAskedAt ?? -Infinity) + windows.repeatMs;
  if (now < again) return lookAgainAt(again, 'its node to say whether an agent lives');
  return take({ kind: 'ask', generation: generationOf(spawn) });
};

/** The journal that could say is there no more. After a restore nobody may know which one that was. */
const hasOtherJournal = (spawn: ExistingSpawn, journalId: JournalId | null): boolean => {
  const named = journalOf(spawn);
  return journalId !== null && named !== null && named !== journalId;
};

/** Fenced, reserved or not: a reservation that was held up must find the door closed. */
const free = (spawn: ExistingSpawn, { slot }: SpawnContext, reason: string): Step<SpawnStep> => {
  const round = Math.max(roundOf(spawn), slot.round ?? 0);
  return slot.fenced < round ? take({ kind: 'releaseSlot', round, reason }) : nothing;
};

const stop = (spawn: ExistingSpawn, context: SpawnContext): Step<SpawnStep> => {
  const { now, lastAskedAt, node, windows } = context;
  if (node.liveness !== 'alive') return wait('its node to come back, and to end its agent');
  const again = (lastAskedAt ?? -Infinity) + windows.repeatMs;
  if (now < again) return lookAgainAt(again, 'its node to prove that its agent has ended');
  return take({ kind: 'sendStop', generation: generationOf(spawn) });
};

const roundOf = ({ placement }: ExistingSpawn): number => placement?.round ?? 0;
