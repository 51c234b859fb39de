import type {
  AgentView,
  Page,
  ProjectionView,
  RunView,
  SpawnView,
  UnknownItemView,
} from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { waysOn } from '../follow-spawn.js';
import { ago, duration, fields, paintStatus, plain, table, type Cell } from '../text.js';
import { printJson, type Verb } from '../verb.js';

/** How a list is told. */
export interface Listing<Item> {
  /** The sentence for an empty list. */
  readonly empty: string;
  readonly show: (items: readonly Item[]) => string;
}

/** Prints a list: as JSON, as a table, or the sentence for an empty one. */
export const list = async <Item>(
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

/** A status as a cell, in its colour. */
export const status = (text: string, colour: boolean): Cell => ({
  text,
  paint: (padded) => padded.replace(text, paintStatus(text, colour)),
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

/** What waits for proof, or for an operator: spawns whose agent may be alive, and runs. */
export const unknowns = (verb: Verb): Promise<ExitCode> =>
  list<UnknownItemView>(verb, '/v1/unknowns', {
    empty: 'nothing is unknown',
    show: (items) => items.map((item) => describeUnknown(item, verb.io.now())).join('\n'),
  });

const describeUnknown = (item: UnknownItemView, now: number): string =>
  'spawnId' in item ? describeSpawn(item, now) : describeRun(item, now);

const describeRun = (run: RunView, now: number): string =>
  fields([
    ['run', run.runId],
    ['agent', `${plain(run.agent)} on ${plain(run.node)}`],
    ['code', run.unknown?.code ?? run.code],
    ['since', ago(run.unknown?.since ?? run.updatedAt, now)],
    ['evidence', run.unknown === null ? null : plain(run.unknown.reason)],
    ['session free', run.unknown?.fenced === true ? 'yes' : 'no'],
    ['what next', run.unknown === null ? null : plain(run.unknown.advice)],
  ]);

const describeSpawn = (spawn: SpawnView, now: number): string =>
  fields([
    ['spawn', spawn.spawnId],
    ['agent', `${plain(spawn.agentName)} on ${plain(spawn.nodeId ?? 'no node')}`],
    ['code', spawn.code],
    ['since', ago(spawn.unknown?.since ?? spawn.updatedAt, now)],
    ['evidence', spawn.unknown === null ? null : plain(spawn.unknown.reason)],
    ['what next', spawn.unknown === null ? null : plain(spawn.unknown.advice)],
    ['settle it', waysOn(spawn)],
  ]);

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
