import type { NodeView } from '#contracts';
import { EXIT, VerbFailed } from '../exit-codes.js';
import { textFrom } from '../given-text.js';
import type { Verb } from '../verb.js';

export interface SpawnOptions {
  readonly node?: string;
  readonly nodeName?: string;
  readonly capability?: readonly string[];
  readonly agentName?: string;
  readonly harness?: string;
  readonly taskFile?: string;
  readonly directory?: string;
  readonly verifyReady?: boolean;
  readonly key?: string;
  readonly replay?: boolean;
  readonly wait?: boolean;
}

/** The most that a task may have, KiB. Source: the bound of the API. */
const TASK_KIB_MAX = 128;

/** `strict`: on the node that is named, or nowhere. `generic`: wherever it fits. `replay`: what became of a strict one. */
export const kindOf = ({ replay, node }: SpawnOptions): 'strict' | 'generic' | 'replay' => {
  if (replay === true) return 'replay';
  return node === undefined ? 'generic' : 'strict';
};

/** @throws VerbFailed (usage) something is missing, or does not go with a node that is named. */
export const strictBody = async (
  verb: Verb,
  task: string | undefined,
  options: SpawnOptions,
): Promise<object> => {
  const node = needed(options.node, '--node');
  if (options.capability !== undefined)
    throw new VerbFailed(
      EXIT.usage,
      `--capability ${options.capability.join(' ')} does not go with --node ${node}`,
      { remedies: ['A strict spawn is for that node whatever it offers; leave one of them out.'] },
    );
  const work = await workOf(verb, task, options);
  return {
    node_id: node,
    node_name: options.nodeName ?? (await nameOf(verb, node)),
    agent_name: work.agentName,
    harness: work.harness,
    task: work.task,
    ...work.where,
    ...(options.verifyReady === true ? { verify_ready: true } : {}),
  };
};

/** @throws VerbFailed (usage) something is missing, or only goes with a node that is named. */
export const genericBody = async (
  verb: Verb,
  task: string | undefined,
  options: SpawnOptions,
): Promise<object> => {
  const { nodeName, verifyReady, capability } = options;
  if (nodeName !== undefined)
    throw new VerbFailed(EXIT.usage, `--node-name ${nodeName} names no node by itself`, {
      remedies: ['Add --node <id>, or leave it out for a spawn on whichever node fits.'],
    });
  if (verifyReady === true)
    throw new VerbFailed(EXIT.usage, '--verify-ready is for a node that is named', {
      remedies: [
        'Add --node <id>, or leave it out: a generic spawn waits for a node that is ready.',
      ],
    });
  const work = await workOf(verb, task, options);
  return {
    agentName: work.agentName,
    harness: work.harness,
    task: work.task,
    ...work.where,
    ...(capability === undefined ? {} : { capabilities: capability }),
  };
};

/** Only the key is needed; what else is given must be what was asked for under it. */
export const replayBody = async (
  verb: Verb,
  task: string | undefined,
  options: SpawnOptions,
): Promise<{ readonly body: object; readonly key: string }> => {
  const key = needed(options.key, '--key', 'It names the call whose outcome is asked for.');
  if (options.capability !== undefined)
    throw new VerbFailed(EXIT.usage, '--replay is for strict spawns, which have no --capability');
  const isGiven = task !== undefined || options.taskFile !== undefined;
  const body = {
    node_id: options.node,
    node_name: options.nodeName,
    agent_name: options.agentName,
    harness: options.harness,
    task: isGiven ? await taskFrom(verb, task, options) : undefined,
    directory: options.directory === undefined ? undefined : absolute(options.directory),
    verify_ready: options.verifyReady,
  };
  return { key, body };
};

interface Work {
  readonly agentName: string;
  readonly harness: string;
  readonly task: string;
  readonly where: { readonly directory?: string };
}

const workOf = async (
  verb: Verb,
  task: string | undefined,
  options: SpawnOptions,
): Promise<Work> => ({
  agentName: needed(options.agentName, '--agent-name', 'It is what the new agent is called.'),
  harness: needed(options.harness, '--harness', '`holdfast nodes` shows what each node offers.'),
  where: options.directory === undefined ? {} : { directory: absolute(options.directory) },
  task: await taskFrom(verb, task, options),
});

const taskFrom = (
  { io }: Verb,
  argument: string | undefined,
  { taskFile }: SpawnOptions,
): Promise<string> =>
  textFrom(io, {
    what: 'task',
    argument,
    file: taskFile,
    fileOption: '--task-file',
    kibMax: TASK_KIB_MAX,
  });

/** What the node is called now. Named with the request, it proves that both sides mean the same node. */
const nameOf = async ({ api }: Verb, node: string): Promise<string> =>
  (await api.get<NodeView>(`/v1/nodes/${encodeURIComponent(node)}`)).name;

const needed = (value: string | undefined, option: string, remedy?: string): string => {
  if (value !== undefined) return value;
  throw new VerbFailed(EXIT.usage, `${option} is missing`, {
    remedies: [...(remedy === undefined ? [] : [remedy]), '`holdfast spawn --help` has examples.'],
  });
};

const absolute = (directory: string): string => {
  if (directory.startsWith('/')) return directory;
  throw new VerbFailed(EXIT.usage, `--directory ${directory} is not an absolute path`, {
    remedies: ['It is a folder on the node, so nobody could say what it were relative to.'],
  });
};
