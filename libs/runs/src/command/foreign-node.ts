import { RuleViolation, type NodeId } from '#kernel';
import type { RunCommand, RunState } from '../domain/index.js';

/**
 * A node's command, for a run of its own only: what a node says of another's work counts for nothing.
 *
 * @throws RuleViolation `run.foreign_node`, when the run is decided on.
 */
export const commandOfNode =
  <Command extends RunCommand>(node: NodeId, command: Command) =>
  (run: RunState): Command => {
    if (run.status !== 'none' && run.submission.node !== node)
      throw new RuleViolation('run.foreign_node', { runId: run.runId });
    return command;
  };
