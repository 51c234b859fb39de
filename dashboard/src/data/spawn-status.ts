import type { SpawnDetailView, SpawnView } from '../../../libs/contracts/src/spawn.views.js';

export type { SpawnDetailView, SpawnView };
export type SpawnStatus = SpawnView['status'];

/** In the order in which a spawn goes through them. */
export const SPAWN_STATUSES = [
  'pending',
  'dispatched',
  'completed',
  'failed',
] as const satisfies readonly SpawnStatus[];

/** It may still change by itself: no answer of it is final. */
export const isUnderWay = (status: SpawnStatus): boolean =>
  status === 'pending' || status === 'dispatched';

/** How a spawn stands, for those who look at many: by word, sign and the name of its colour. */
export interface Standing {
  readonly word: string;
  readonly sign: string;
  readonly colour: 'queued' | 'dispatched' | 'completed' | 'failed' | 'unknown';
}

/** What nobody knows is told apart from what failed with certainty: an agent may be alive there. Pure. */
export const standingOf = ({ status, code }: Pick<SpawnView, 'status' | 'code'>): Standing => {
  switch (status) {
    case 'pending':
      return { word: 'pending', sign: '○', colour: 'queued' };
    case 'dispatched':
      return { word: 'dispatched', sign: '◔', colour: 'dispatched' };
    case 'completed':
      return { word: 'completed', sign: '✓', colour: 'completed' };
    case 'failed':
      return code === 'spawn_outcome_unknown'
        ? { word: 'failed, not known', sign: '?', colour: 'unknown' }
        : { word: 'failed', sign: '✕', colour: 'failed' };
  } // No default: a new status does not compile until it is told.
};

/** What each code says of the agent: certainty, or none. */
const MEANINGS: Readonly<Record<NonNullable<SpawnView['code']>, string>> = {
  never_received: 'its node never took it: certainly nothing was started',
  agent_not_started: 'its node proved that no agent of it was started',
  never_dispatched_expired: 'it was never sent, for too long: certainly nothing was started',
  spawn_outcome_unknown: 'nobody could say whether its agent was started',
};

const AGENTS: Readonly<Record<SpawnView['agent'], string>> = {
  none: 'no agent of it lives',
  maybe: 'its agent may be alive',
  alive: 'its agent is alive',
  ended: 'its agent has ended',
};

/** One line on where a spawn stands: what it waits for, what is known of its agent, or why it failed. Pure. */
export const spawnStory = (
  spawn: Pick<SpawnView, 'status' | 'code' | 'waitsFor' | 'agent'>,
): string => {
  const { status, code, waitsFor, agent } = spawn;
  const waits = waitsFor === null ? [] : [`waits for ${waitsFor}`];
  if (isUnderWay(status)) return waits.join('');
  const isDoubtful = code === 'spawn_outcome_unknown';
  const failed = code === null ? [] : [MEANINGS[code]];
  const known = status === 'completed' || isDoubtful ? [AGENTS[agent]] : [];
  return [...failed, ...known, ...waits].join('; ');
};

/** An agent of it may be alive, and nobody has given that up: an operator can still decide. */
export const isUndecided = ({
  code,
  agent,
  resolution,
}: Pick<SpawnView, 'code' | 'agent' | 'resolution'>): boolean =>
  code === 'spawn_outcome_unknown' &&
  (agent === 'maybe' || agent === 'alive') &&
  resolution?.as !== 'free';

/** Whether a stop of its agent would do anything, as far as the page knows. */
export const isAgentStoppable = ({
  status,
  agent,
  stop,
}: Pick<SpawnView, 'status' | 'agent' | 'stop'>): boolean =>
  status === 'completed' && agent !== 'ended' && stop === null;
