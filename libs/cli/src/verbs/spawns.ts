import type { Page, SpawnDetailView, SpawnView } from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { MEANINGS, pathOfSpawn, waysOn } from '../follow-spawn.js';
import { ago, fields, paintStatus, plain, shortened, table, when } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { status } from './lists.js';
import { queryOf } from './runs.js';
import { keyFor } from './submit.js';
import { printTimeline } from './timeline.js';

export interface SpawnsOptions {
  readonly status?: string;
  readonly node?: string;
  readonly unknown?: boolean;
  readonly limit?: string;
  readonly cursor?: string;
}

/** The newest spawns first. */
export const spawns = async (verb: Verb, options: SpawnsOptions): Promise<ExitCode> => {
  const { io, api } = verb;
  const { status: statuses, node, unknown, limit, cursor } = options;
  const query = queryOf({
    status: statuses,
    node,
    unknown: unknown === true ? 'true' : undefined,
    limit,
    cursor,
  });
  const page = await api.get<Page<SpawnView>>(`/v1/spawns${query}`);
  if (verb.json) printJson(io, page);
  else io.out.write(page.items.length === 0 ? 'no spawns\n' : spawnTable(verb, page.items));
  if (!verb.json && page.nextCursor !== null) io.err.write(`more: --cursor ${page.nextCursor}\n`);
  return EXIT.done;
};

const spawnTable = ({ io, colour }: Verb, items: readonly SpawnView[]): string =>
  table(
    ['SPAWN', 'STATUS', 'KIND', 'AGENT', 'HARNESS', 'NODE', 'CLAIMED', 'NOTE'],
    items.map((spawn) => [
      spawn.spawnId,
      status(spawn.status, colour),
      spawn.kind,
      spawn.agentName,
      spawn.harness,
      spawn.nodeId ?? '–',
      ago(spawn.claimedAt, io.now()),
      noteOn(spawn),
    ]),
  );

const noteOn = ({ code, waitsFor }: SpawnView): string =>
  [code, waitsFor === null ? null : `waits for ${waitsFor}`]
    .filter((one) => one !== null)
    .join('; ');

/** One spawn, with all that is known of its agent and its place. */
export const showSpawn = async (verb: Verb, spawnId: string): Promise<ExitCode> => {
  const view = await verb.api.get<SpawnDetailView>(pathOfSpawn(spawnId));
  if (verb.json) printJson(verb.io, view);
  else verb.io.out.write(describeSpawn(verb, view));
  return EXIT.done;
};

/** The events of a spawn, as its stream holds them. */
export const spawnTimeline = (verb: Verb, spawnId: string): Promise<ExitCode> =>
  printTimeline(verb, `${pathOfSpawn(spawnId)}/timeline`);

export interface ResolveSpawnOptions {
  readonly as: string;
  readonly note: string;
  readonly key?: string;
}

/** Records what becomes of an agent that may be alive. */
export const resolveSpawn = async (
  verb: Verb,
  spawnId: string,
  options: ResolveSpawnOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const { value } = await api.command<{ resolution?: string }>(
    `${pathOfSpawn(spawnId)}/resolution`,
    { as: options.as, note: options.note },
    keyFor(io, options.key),
  );
  if (verb.json) printJson(io, value);
  else io.out.write(`${value.resolution ?? options.as}\n`);
  return EXIT.done;
};

const describeSpawn = (verb: Verb, view: SpawnDetailView): string => {
  const { unknown, resolution, stop } = view;
  const now = verb.io.now();
  return fields([
    ['spawn', view.spawnId],
    ['status', paintStatus(view.status, verb.colour)],
    ['waits for', view.waitsFor === null ? null : plain(view.waitsFor)],
    ['code', view.code],
    ['means', view.code === null ? null : MEANINGS[view.code]],
    ['kind', view.kind],
    ['agent', `${plain(view.agentName)} (${plain(view.harness)}): ${AGENT_WORDS[view.agent]}`],
    ['node', nodeWords(view)],
    ['place', `${view.slot}, round ${view.round}`],
    ['needs', view.capabilities.length === 0 ? null : view.capabilities.map(plain).join(', ')],
    ['directory', view.directory === null ? null : plain(view.directory)],
    ['works in', view.workerCwd === null ? null : plain(view.workerCwd)],
    ['ready first', view.verifyReady ? 'yes: refused where it is not' : null],
    ['claimed', `${when(view.claimedAt, now) ?? ''} by ${plain(view.requestedBy)}`],
    ['dispatched', when(view.dispatchedAt, now)],
    ['answer due', view.status === 'dispatched' ? view.retryAfterAt : null],
    ['settled', when(view.settledAt, now)],
    [
      'stop asked',
      stop === null ? null : `${when(stop.requestedAt, now) ?? ''}: ${plain(stop.reason)}`,
    ],
    [
      'evidence',
      unknown === null ? null : `${plain(unknown.reason)}, seen by the ${unknown.witness}`,
    ],
    ['since', unknown === null ? null : when(unknown.since, now)],
    ['what next', unknown === null ? null : plain(unknown.advice)],
    ['settle it', unknown === null || resolution !== null ? null : waysOn(view)],
    ['decided', resolution === null ? null : `${resolution.as} by ${plain(resolution.actor)}`],
    ['note', resolution === null ? null : plain(resolution.note)],
    ['late evidence', view.lateEvidence === 0 ? null : String(view.lateEvidence)],
    ['alarm', view.alarming ? 'evidence shows a start that must not have been' : null],
    ['task', shortened(view.task)],
  ]);
};

const nodeWords = ({ nodeId, nodeName }: SpawnView): string | null => {
  if (nodeId === null) return null;
  return nodeName === null || nodeName === nodeId
    ? plain(nodeId)
    : `${plain(nodeId)} (${plain(nodeName)})`;
};

const AGENT_WORDS: Readonly<Record<SpawnView['agent'], string>> = {
  none: 'not started',
  maybe: 'may be alive',
  alive: 'alive',
  ended: 'has ended',
};
