import type { SpawnRow } from '../projection/index.js';

/**
 * What a person can do about a spawn of which nobody could say whether it was started. Pure.
 *
 * It never offers to ask for the agent again under another key without a word of what that may do: there may be two then.
 */
export const adviceFor = (
  spawn: Pick<SpawnRow, 'nodeId' | 'nodeName' | 'lateAgent' | 'resolution'>,
): string => {
  const node = `node ${spawn.nodeName ?? spawn.nodeId ?? ''}`.trim();
  if (spawn.resolution === 'stop')
    return `It is to be stopped: ${node} ends it when it can, and says so. Where the node never comes back, free the place.`;
  if (spawn.lateAgent === 'lives')
    return `Its agent is alive on ${node}, and works. Stop it, or adopt it: then it keeps its place until it ends.`;
  return (
    `An agent may be alive on ${node}. Bring the node back if it is away: its journal settles this by itself. ` +
    'Once the agent was seen alive, stop it, or adopt it. Where the node never comes back, look whether it runs, and free the place. ' +
    'Asking for the same under another key may start a second one.'
  );
};
