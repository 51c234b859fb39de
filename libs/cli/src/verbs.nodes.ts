import type { VerbFactory } from './verb-factory.js';
import { KEY } from './verbs.follow.js';
import { nodes, serviceNode, type NodeServiceOptions } from './verbs/nodes.js';

/** The nodes, and what an operator does with one. */
export const nodeVerbs = ({ verb, perform }: VerbFactory): void => {
  const listing = verb(
    'nodes',
    'the nodes: alive or silent, how busy, and who holds their places',
    [
      'nodes',
      'nodes --json',
      'nodes drain build-7 --reason "new disk"',
      'nodes return build-7 --reason "disk is in"',
    ],
  );
  listing.action(() => perform(listing, nodes));

  const draining = verb(
    'drain <node>',
    'take a node out of service: it gets no new spawn, and keeps what it has',
    ['nodes drain build-7 --reason "new disk"'],
    listing,
  );
  const returning = verb(
    'return <node>',
    'put a node that was drained back into service',
    ['nodes return build-7 --reason "disk is in"'],
    listing,
  );
  for (const [command, change] of [
    [draining, 'drain'],
    [returning, 'return'],
  ] as const)
    command
      .requiredOption('--reason <text>', 'why: shown with the node (required)')
      .option('--key <key>', KEY)
      .action((node: string) =>
        perform(command, (it) => serviceNode(it, node, change, command.opts<NodeServiceOptions>())),
      );
};
