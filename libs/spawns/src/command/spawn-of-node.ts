import { RuleViolation, type NodeId } from '#kernel';
import {
  isUnknown,
  nodeOfGeneration,
  type SpawnCommand,
  type SpawnState,
} from '../domain/index.js';

/** What a node says names the generation that it speaks of. */
type OfGeneration = Extract<
  SpawnCommand,
  { readonly generation: number; readonly journalId: string }
>;

/**
 * A node's command, for a generation that was sent to it only: what a node says of another's work counts for nothing. Where
 * a restore forgot whose it was, and the spawn is unknown for that, whoever has it may say so; not of one that was claimed: then
 * it is known who has it.
 *
 * @throws RuleViolation `spawn.foreign_node`, when the spawn is decided on.
 */
export const spawnCommandOfNode =
  <Command extends OfGeneration>(node: NodeId, command: Command) =>
  (spawn: SpawnState): Command => {
    if (spawn.status === 'none') return command;
    const own = nodeOfGeneration(spawn, command.generation);
    const isForgotten = own === null && isUnknown(spawn) && spawn.holder === null;
    if (own !== node && !isForgotten)
      throw new RuleViolation('spawn.foreign_node', { spawnId: spawn.spawnId });
    return command;
  };
