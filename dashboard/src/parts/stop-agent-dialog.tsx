import { useState, type ReactNode } from 'react';
import { useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { newKey } from '../data/new-key.js';
import { consequencesOfAgentStop } from '../data/spawn-consequences.js';
import { useNodeOf, useSpawn } from '../data/spawn-queries.js';
import { isAgentStoppable, type SpawnView } from '../data/spawn-status.js';
import { ReasonDialog } from './reason-dialog.js';

/** The most characters that a reason may have. Source: the bound of the API. */
const REASON_MAX = 1_000;

/** Says what a stop of the agent does, and does it. */
export const StopAgentDialog = ({
  spawn: asked,
  onAccepted,
  onLeave,
}: {
  readonly spawn: SpawnView;
  readonly onAccepted: (stopId: string) => void;
  readonly onLeave: () => void;
}): ReactNode => {
  const spawn = useSpawn(asked.spawnId).data ?? asked;
  const node = useNodeOf(spawn);
  const [key] = useState(newKey);
  const stop = useCommand<{ readonly stopId: string }>({
    path: '/stops',
    key,
    refreshes: [KEYS.spawn(spawn.spawnId), KEYS.spawns, KEYS.nodes],
    onDone: ({ stopId }) => onAccepted(stopId),
  });
  return (
    <ReasonDialog
      words={{
        title: `Stop agent ${spawn.agentName}?`,
        hint: `${spawn.harness} on ${spawn.nodeName ?? spawn.nodeId ?? 'no node'}`,
        consequences: consequencesOfAgentStop(spawn, node),
        form: 'Stop this agent',
        label: 'Reason, kept with the spawn',
        placeholder: 'why it is no longer needed',
        doIt: 'Stop this agent',
        leave: 'Let it go on',
        refusals: {
          spawn_has_no_agent: 'It was not stopped: it has no agent that was started.',
        },
      }}
      command={stop}
      reasonMax={REASON_MAX}
      isOffered={isAgentStoppable(spawn)}
      isDanger
      onSend={(reason) => stop.send({ target: { kind: 'agent', id: spawn.spawnId }, reason })}
      onLeave={onLeave}
    />
  );
};
