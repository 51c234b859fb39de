import type { NodeView } from '../../../libs/contracts/src/views.js';
import { DONE_STAYS, GRACE } from './consequences.js';
import { isAgentStoppable, isUndecided, type SpawnView } from './spawn-status.js';

type NodeNow = Pick<NodeView, 'liveness' | 'membership'> | undefined;
type Undecided = Pick<SpawnView, 'code' | 'agent' | 'resolution' | 'nodeId' | 'nodeName'>;
type Stoppable = Pick<SpawnView, 'status' | 'agent' | 'stop' | 'nodeId' | 'nodeName'>;
export type SpawnDecision = NonNullable<SpawnView['resolution']>['as'];

const MEANS: Readonly<Record<SpawnDecision, string>> = {
  stop: 'its node ends the agent, and its place is free once that is proven',
  adopt: 'it was seen alive, goes on, and keeps its place',
  free: 'its place is given back without proof',
};

/** The ways on from an agent that may be alive, and what each of them means. Only one that was seen alive can be adopted. */
export const waysOn = ({
  agent,
}: Pick<SpawnView, 'agent'>): readonly { readonly as: SpawnDecision; readonly means: string }[] => {
  const ways: readonly SpawnDecision[] =
    agent === 'alive' ? ['stop', 'adopt', 'free'] : ['stop', 'free'];
  return ways.map((as) => ({ as, means: MEANS[as] }));
};

/**
 * What a decision on this spawn will do, in plain words; before one is chosen, what is true of all. Pure.
 *
 * Source: `resolve` in `libs/spawns/src/domain/spawn.decider.ts`, and `nextOfUnknown` in `settled-spawn.next.ts`.
 */
export const consequencesOfDecision = (
  spawn: Undecided,
  as: SpawnDecision | null,
  node: NodeNow,
): readonly string[] => {
  if (!isUndecided(spawn))
    return ['What became of it is settled by now. There is nothing left to decide.'];
  return [
    'It is recorded with your name and your note. Whoever asked for the spawn keeps the answer that it failed as spawn_outcome_unknown.',
    'Holdfast starts nothing again.',
    ...(as === null ? [] : ofDecision(as, nameOf(spawn), node)),
  ];
};

const ofDecision = (as: SpawnDecision, name: string, node: NodeNow): readonly string[] => {
  switch (as) {
    case 'stop':
      return [
        ...ofSignals(name, node),
        `Its place on node ${name} stays taken until the node proves that no agent of it lives.`,
        DONE_STAYS,
      ];
    case 'adopt':
      return [
        `Its agent goes on, and holds its place on node ${name} until it ends by itself.`,
        'Nothing is signalled. You can still decide to stop it later, here.',
      ];
    case 'free':
      return [
        `Its place on node ${name} is free at once. If its agent is alive, it goes on beside whatever gets the place next: the node may then have more agents than places.`,
        'Nothing is signalled, and it can not be taken back: from then on it can be neither stopped nor adopted from here.',
      ];
  } // No default: a new decision does not compile until its consequences are told.
};

/** What a stop of its agent will do, in plain words. Pure. */
export const consequencesOfAgentStop = (spawn: Stoppable, node: NodeNow): readonly string[] => {
  if (spawn.status !== 'completed')
    return ['It has no agent that is known to have been started. A stop changes nothing.'];
  if (spawn.agent === 'ended') return ['Its agent has ended. A stop changes nothing any more.'];
  if (!isAgentStoppable(spawn))
    return ['Its agent is being stopped already. A second stop changes nothing.'];
  const name = nameOf(spawn);
  return [
    ...ofSignals(name, node),
    DONE_STAYS,
    `Its place on node ${name} is free once the node has proven that it ended.`,
    'That it was started stays true: the spawn remains completed.',
  ];
};

const ofSignals = (name: string, node: NodeNow): readonly string[] =>
  node?.membership === 'left' || node?.liveness === 'silent'
    ? [
        `Node ${name} is away now. What you decide is kept, and reaches the node when it is back; until then its agent may go on.`,
      ]
    : [
        `Node ${name} sends all that its agent started a polite signal, and kills what is left of it after a grace period (${GRACE}).`,
        'If the node does not answer, it is told again until it proves that the agent has ended.',
      ];

const nameOf = ({ nodeName, nodeId }: Pick<SpawnView, 'nodeId' | 'nodeName'>): string =>
  nodeName ?? nodeId ?? '';
