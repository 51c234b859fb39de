import type { Command } from 'commander';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES } from '#runs/contract';
import type { VerbFactory } from './verb-factory.js';
import { doctor } from './verbs/doctor.js';
import { agents, projections, unknowns } from './verbs/lists.js';
import { run, runs, type RunsOptions } from './verbs/runs.js';
import { timeline } from './verbs/timeline.js';
import { issueToken, revokeToken, type IssueOptions } from './verbs/token.js';

const STATUSES = [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES].join(', ');

/** The verbs that look, and those that administer tokens. */
export const lookVerbs = (factory: VerbFactory): void => {
  const { verb, perform } = factory;
  const listing = verb('runs', 'list runs, the newest first', [
    'runs',
    'runs --status queued,running --agent echo',
    'runs --json --limit 200',
  ]);
  listing
    .option('--status <list>', `any of these, separated by commas: ${STATUSES}`)
    .option('--agent <name>', 'of this agent')
    .option('--node <id>', 'on this node')
    .option('--session <id>', 'in this session')
    .option('--since <time>', 'submitted at this moment or later (RFC 3339)')
    .option('--limit <count>', 'at most so many, 1 to 200')
    .option('--cursor <cursor>', 'the page after the one that named it')
    .action(() => perform(listing, (it) => runs(it, filtersOf(listing))));

  const showing = verb('run <run>', 'show one run, or its output', [
    'run 6f1c…',
    'run 6f1c… --output > result.txt',
  ]);
  showing
    .option('--output', 'print the output that there is')
    .action((id: string) =>
      perform(showing, (it) => run(it, id, showing.opts<{ output?: boolean }>())),
    );

  const events = verb('timeline <run>', 'the events of a run, from its stream', ['timeline 6f1c…']);
  events.action((id: string) => perform(events, (it) => timeline(it, id)));

  const lists = [
    ['agents', 'the agents that prompts can be submitted to', agents],
    ['unknowns', 'outcomes that nobody knows, with their evidence', unknowns],
    ['projections', 'the read models: position, and how far behind', projections],
    ['doctor', 'look at every part, and say what to do about faults', doctor],
  ] as const;
  for (const [name, summary, action] of lists) {
    const command = verb(name, summary, [name, `${name} --json`]);
    command.action(() => perform(command, action));
  }
  tokenVerbs(factory);
};

const tokenVerbs = ({ verb, group, perform }: VerbFactory): void => {
  const token = group('token', 'make and end bearer tokens (operators only)');
  const issuing = verb(
    'issue <principal>',
    'make a bearer token; it is shown once',
    ['token issue user:ada --role agent'],
    token,
  );
  issuing
    .requiredOption('--role <role>', 'operator, agent or viewer (required)')
    .option('--workspace <name>', 'for this workspace; else your own')
    .option('--key <key>', 'the idempotency key')
    .action((principal: string) =>
      perform(issuing, (it) => issueToken(it, principal, issuing.opts<IssueOptions>())),
    );
  const revoking = verb(
    'revoke <token>',
    'end a bearer token, given as it is or as its SHA-256',
    ['token revoke hf_…'],
    token,
  );
  revoking
    .option('--key <key>', 'the idempotency key')
    .action((token: string) =>
      perform(revoking, (it) => revokeToken(it, token, revoking.opts<{ key?: string }>())),
    );
};

const filtersOf = (command: Command): RunsOptions => {
  const { status, agent, node, session, since, limit, cursor } = command.opts<RunsOptions>();
  return Object.fromEntries(
    Object.entries({ status, agent, node, session, since, limit, cursor }).filter(
      ([, value]) => value !== undefined,
    ),
  );
};
