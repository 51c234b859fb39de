import type { NodeServiceAnswer, NodeView } from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { ago, plain, table } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { list, status } from './lists.js';
import { keyFor } from './submit.js';

/** The nodes; below them, who holds which place, since when and why. */
export const nodes = (verb: Verb): Promise<ExitCode> =>
  list<NodeView>(verb, '/v1/nodes', {
    empty: 'no node has joined',
    show: (items) => [nodeTable(verb, items), ...slotTable(verb, items)].join('\n'),
  });

const nodeTable = ({ io, colour }: Verb, items: readonly NodeView[]): string =>
  table(
    ['NODE', 'NAME', 'STATE', 'HEARD', 'RUNS', 'WAITING', 'FREE', 'HARNESSES', 'AGENTS', 'NOTE'],
    items.map((node) => [
      node.id,
      node.name,
      status(node.membership === 'left' ? 'left' : node.liveness, colour),
      ago(node.lastHeardAt, io.now()),
      `${node.running}/${node.maxRuns}`,
      String(node.waiting),
      `${freePlaces(node)} of ${node.capacity}`,
      node.harnesses
        .map((harness) => (node.notReady.includes(harness) ? `${harness} (not ready)` : harness))
        .join(', '),
      node.agents.join(', '),
      drainWords(node, io.now()),
    ]),
  );

/** More may be taken than there are, after its configuration was changed: then none is free. */
const freePlaces = ({ capacity, slots }: NodeView): number => Math.max(0, capacity - slots.length);

const drainWords = ({ drained }: NodeView, now: number): string =>
  drained === null
    ? ''
    : `drained ${ago(drained.since, now)} by ${drained.actor}: ${drained.reason}`;

const slotTable = ({ io }: Verb, items: readonly NodeView[]): readonly string[] => {
  const rows = items.flatMap(({ id, slots }) =>
    slots.map((slot) => [
      id,
      slot.state,
      slot.spawnId,
      slot.agentName,
      slot.harness,
      ago(slot.since, io.now()),
      slot.why,
    ]),
  );
  return rows.length === 0
    ? []
    : [table(['NODE', 'PLACE', 'SPAWN', 'AGENT', 'HARNESS', 'SINCE', 'WHY'], rows)];
};

export interface NodeServiceOptions {
  readonly reason: string;
  readonly key?: string;
}

/** Takes a node out of service, or puts it back. What it has is not touched. */
export const serviceNode = async (
  verb: Verb,
  nodeId: string,
  change: 'drain' | 'return',
  options: NodeServiceOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const { value } = await api.command<NodeServiceAnswer['value']>(
    `/v1/nodes/${encodeURIComponent(nodeId)}/${change}`,
    { reason: options.reason },
    keyFor(io, options.key),
  );
  if (verb.json) printJson(io, value);
  else io.out.write(`${plain(nodeId)} ${value.drained ? 'is drained' : 'is in service'}\n`);
  return EXIT.done;
};
