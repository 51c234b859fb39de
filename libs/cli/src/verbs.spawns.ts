import { Option, type Command } from 'commander';
import { SPAWN_RESOLUTIONS } from '#spawns/contract';
import type { VerbFactory } from './verb-factory.js';
import { KEY } from './verbs.follow.js';
import type { SpawnOptions } from './verbs/spawn-request.js';
import { identityFor, spawn } from './verbs/spawn.js';
import {
  resolveSpawn,
  showSpawn,
  spawnTimeline,
  spawns,
  type ResolveSpawnOptions,
  type SpawnsOptions,
} from './verbs/spawns.js';

/** The verbs around agents that are started on a node. */
export const spawnVerbs = (factory: VerbFactory): void => {
  spawnVerb(factory);
  const listing = listVerb(factory);
  detailVerbs(factory, listing);
};

const spawnVerb = ({ verb, perform }: VerbFactory): void => {
  const spawning = verb(
    'spawn [task]',
    'start one agent: on exactly the node that is named, or else wherever it fits',
    [
      'spawn "Review the last commit" --node build-7 --agent-name reviewer --harness cli --wait',
      'spawn --task-file task.md --node build-7 --node-name "build machine 7" --agent-name a1 --harness cli --key nightly-1',
      'spawn --replay --key nightly-1',
      'spawn - --agent-name a2 --harness cli --capability gpu --capability linux < task.md',
    ],
  );
  spawning
    .option('--node <id>', 'strictly on this node: there, or nowhere')
    .option('--node-name <name>', 'what that node is called; looked up when left out')
    .option('--capability <name>', 'without --node: what the node must have; repeatable', collected)
    .option('--agent-name <name>', 'what the agent is called')
    .option('--harness <name>', 'how it is started; each node says which ones it offers')
    .option('--task-file <file>', 'read the task from a file')
    .option('--directory <path>', 'where it is to work: an absolute path on the node')
    .option('--verify-ready', 'with --node: be refused when it is not ready, instead of waiting')
    .option('--key <key>', KEY)
    .option('--replay', 'ask what became of the strict spawn under --key; starts nothing new')
    .option('--wait', 'follow it until its agent was started, or it failed')
    .addHelpText(
      'after',
      `
A strict spawn belongs to the agent that asks: without HOLDFAST_TOKEN it takes the local stack's agent.token.
Exit codes: 0 accepted, with --wait started; 1 refused, or failed with certainty; 2 wrong usage; 3
spawn_outcome_unknown, or the answer was lost: an agent may be alive.`,
    )
    .action((task: string | undefined) => {
      const options = spawning.opts<SpawnOptions>();
      return perform(spawning, (it) => spawn(it, task, options), identityFor(options));
    });
};

const collected = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

const listVerb = ({ verb, perform }: VerbFactory): Command => {
  const listing = verb('spawns', 'list spawns, the newest first', [
    'spawns',
    'spawns --status pending --node build-7',
    'spawns --unknown',
    'spawns show 0b9e…',
    'spawns resolve 0b9e… --as stop --note "not needed any more"',
  ]);
  listing
    .option('--status <list>', 'pending, dispatched, completed or failed; several with commas')
    .option('--node <id>', 'on this node')
    .option('--unknown', 'only those of which nobody knows whether an agent lives')
    .option('--limit <count>', 'at most so many, 1 to 200')
    .option('--cursor <cursor>', 'the page after the one that named it')
    .action(() => perform(listing, (it) => spawns(it, listing.opts<SpawnsOptions>())));
  return listing;
};

const detailVerbs = ({ verb, perform }: VerbFactory, listing: Command): void => {
  const showing = verb(
    'show <spawn>',
    'show one spawn: what it waits for, its agent and its place',
    ['spawns show 0b9e…'],
    listing,
  );
  showing.action((id: string) => perform(showing, (it) => showSpawn(it, id)));

  const events = verb(
    'timeline <spawn>',
    'the events of a spawn, from its stream',
    ['spawns timeline 0b9e…'],
    listing,
  );
  events.action((id: string) => perform(events, (it) => spawnTimeline(it, id)));

  const resolving = verb(
    'resolve <spawn>',
    'say what becomes of an agent that may be alive',
    ['spawns resolve 0b9e… --as free --note "the machine was scrapped"'],
    listing,
  );
  resolving
    .addOption(
      new Option(
        '--as <decision>',
        'stop: its node ends it; adopt: it was seen alive, and keeps its place; free: give the place back without proof (required)',
      )
        .choices(SPAWN_RESOLUTIONS)
        .makeOptionMandatory(),
    )
    .requiredOption('--note <text>', 'why: kept with the spawn (required)')
    .option('--key <key>', KEY)
    .action((id: string) =>
      perform(resolving, (it) => resolveSpawn(it, id, resolving.opts<ResolveSpawnOptions>())),
    );
};
