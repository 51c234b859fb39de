import { useId, useState, type ReactNode } from 'react';
import { codeOf, useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { newKey } from '../data/new-key.js';
import { consequencesOfDecision, waysOn, type SpawnDecision } from '../data/spawn-consequences.js';
import { useNodeOf, useSpawn } from '../data/spawn-queries.js';
import { isUndecided, type SpawnView } from '../data/spawn-status.js';
import { shortId } from '../data/words.js';
import { ReasonDialog } from './reason-dialog.js';

/** The most characters that a note may have. Source: the bound of the API. */
const NOTE_MAX = 2_000;

/** An operator's recorded decision on an agent that may be alive: its consequences are told once one is chosen. */
export const DecideDialog = ({
  spawn: asked,
  onDecided,
  onLeave,
}: {
  readonly spawn: SpawnView;
  readonly onDecided: (as: SpawnDecision) => void;
  readonly onLeave: () => void;
}): ReactNode => {
  const spawn = useSpawn(asked.spawnId).data ?? asked;
  const node = useNodeOf(spawn);
  const group = useId();
  const [key] = useState(newKey);
  const [as, setAs] = useState<SpawnDecision | null>(null);
  const decide = useCommand<{ readonly resolution: SpawnDecision }>({
    path: `/spawns/${spawn.spawnId}/resolution`,
    key,
    refreshes: [KEYS.spawn(spawn.spawnId), KEYS.spawns, KEYS.unknowns, KEYS.nodes],
    onDone: ({ resolution }) => onDecided(resolution),
  });
  // The server knew before this page does: it refuses, and the page reads again.
  const isOpen = isUndecided(spawn) && codeOf(decide.error) !== 'spawn_not_unknown';
  return (
    <ReasonDialog
      words={{
        title: (
          <>
            Decide on spawn <code>{shortId(spawn.spawnId)}</code>
          </>
        ),
        hint: `${spawn.agentName} on ${spawn.nodeName ?? spawn.nodeId ?? 'no node'}: ${spawn.unknown?.reason ?? spawn.waitsFor ?? 'its agent may be alive'}`,
        consequences: consequencesOfDecision(spawn, as, node),
        form: 'Decide on its agent',
        label: 'Because',
        placeholder: 'what you found, and where',
        doIt: 'Record the decision',
        leave: 'Leave it open',
        refusals: REFUSALS,
      }}
      command={decide}
      reasonMax={NOTE_MAX}
      isOffered={isOpen}
      isChosen={as !== null}
      isDanger={as === 'free' || as === 'stop'}
      onSend={(note) => decide.send({ as, note })}
      onLeave={onLeave}
    >
      <legend>Its agent</legend>
      {waysOn(spawn).map((way) => (
        <label key={way.as}>
          <input type="radio" name={group} checked={as === way.as} onChange={() => setAs(way.as)} />
          <span>
            <b>{LABELS[way.as]}</b>: {way.means}
          </span>
        </label>
      ))}
    </ReasonDialog>
  );
};

const LABELS: Readonly<Record<SpawnDecision, string>> = {
  stop: 'Stop it',
  adopt: 'Adopt it',
  free: 'Free its place',
};

const REFUSALS: Readonly<Record<string, string>> = {
  spawn_not_unknown:
    'Your decision was not recorded: its node, or somebody else, was first. What came first stands.',
  spawn_agent_not_seen:
    'Your decision was not recorded: only an agent that its node has reported alive can be adopted. Choose another one.',
};
