import { RuleViolation, type NodeId } from '#kernel';
import type { SpawnCommand, SpawnState } from '../domain/index.js';

/**
 * A node's command, for a spawn of its own only: what a node says of another's work counts for nothing.
 *
 * @throws RuleViolation `spawn.foreign_node`, when the spawn is decided on.
 */
export const spawnCommandOfNode =
  <Command extends SpawnCommand>(node: NodeId, command: Command) =>
  (spawn: SpawnState): Command => {
    if (spawn.status === 'none') return command;
    const { dispatch, placement, request, spawnId } = spawn;
    const own = (dispatch ?? placement)?.nodeId ?? request.nodeId;
    if (own !== node) throw new RuleViolation('spawn.foreign_node', { spawnId });
    return command;
  };
