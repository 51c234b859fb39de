import type { AgentView, NodeView, Page, ProjectionView, RunView } from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { ago, duration, fields, paintStatus, plain, table, type Cell } from '../text.js';
import { printJson, type Verb } from '../verb.js';

interface Listing<Item> {
  /** The sentence for an empty list. */
  readonly empty: string;
  readonly show: (items: readonly Item[]) => string;
}

/** Prints a list: as JSON, as a table, or the sentence for an empty one. */
const list = async <Item>(
  verb: Verb,
  path: string,
  { empty, show }: Listing<Item>,
): Promise<ExitCode> => {
  const page = await verb.api.get<Page<Item>>(path);
  if (verb.json) printJson(verb.io, page);
  else verb.io.out.write(page.items.length === 0 ? `${empty}\n` : show(page.items));
  if (!verb.json && page.nextCursor !== null)
    verb.io.err.write('there are more than are shown; --json shows how to read on\n');
  return EXIT.done;
};

const status = (text: string, colour: boolean): Cell => ({
  text,
  paint: (padded) => padded.replace(text, paintStatus(text, colour)),
});

export const nodes = (verb: Verb): Promise<ExitCode> =>
  list<NodeView>(verb, '/v1/nodes', {
    empty: 'no node has joined',
    show: (items) =>
      table(
        ['NODE', 'NAME', 'STATE', 'HEARD', 'RUNS', 'WAITING', 'AGENTS'],
        items.map((node) => [
          node.id,
          node.name,
          status(node.membership === 'left' ? 'left' : node.liveness, verb.colour),
          ago(node.lastHeardAt, verb.io.now()),
          `${node.running}/${node.maxRuns}`,
          String(node.waiting),
          node.agents.join(', '),
        ]),
      ),
  });

export const agents = (verb: Verb): Promise<ExitCode> =>
  list<AgentView>(verb, '/v1/agents', {
    empty: 'no agent is registered',
    show: (items) =>
      table(
        ['AGENT', 'NODE', 'RUNTIME', 'STATE', 'ATTEMPTS', 'PROMPT BY'],
        items.map((agent) => [
          agent.name,
          agent.node,
          agent.runtime,
          agent.status,
          agent.attempts,
          agent.promptBy,
        ]),
      ),
  });

/** What waits for proof, or for an operator. */
export const unknowns = (verb: Verb): Promise<ExitCode> =>
  list<RunView>(verb, '/v1/unknowns', {
    empty: 'nothing is unknown',
    show: (items) =>
      items
        .map((run) =>
          fields([
            ['run', run.runId],
            ['agent', `${plain(run.agent)} on ${plain(run.node)}`],
            ['code', run.unknown?.code ?? run.code],
            ['since', ago(run.unknown?.since ?? run.updatedAt, verb.io.now())],
            ['evidence', run.unknown === null ? null : plain(run.unknown.reason)],
            ['session free', run.unknown?.fenced === true ? 'yes' : 'no'],
            ['what next', run.unknown === null ? null : plain(run.unknown.advice)],
          ]),
        )
        .join('\n'),
  });

export const projections = (verb: Verb): Promise<ExitCode> =>
  list<ProjectionView>(verb, '/v1/projections', {
    empty: 'there are no projections',
    show: (items) =>
      table(
        ['PROJECTION', 'EPOCH', 'POSITION', 'END', 'BEHIND', 'LAG'],
        items.map((projection) => [
          projection.name,
          String(projection.epoch),
          String(projection.position),
          String(projection.end),
          String(projection.lag),
          duration(projection.lagMs),
        ]),
      ),
  });
