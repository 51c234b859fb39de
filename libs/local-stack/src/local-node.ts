import { join } from 'node:path';
import { makePrivateFolder, readIfPresent, writePrivateFile } from './private-files.js';

/** A node of the local stack: what its file says. The node-agent checks it. */
export interface LocalNode {
  /** `[A-Za-z0-9_-]{1,64}`. */
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly capabilities: readonly string[];
  /** How many spawned agents it can hold. */
  readonly capacity: number;
  /** How many runs may execute at once. */
  readonly maxRuns: number;
  /** From SIGTERM to SIGKILL when a program is stopped, ms. */
  readonly stopGraceMs?: number;
  /** `{name, runtime, …}`; the rest is the runtime's own configuration. */
  readonly agents: readonly Readonly<Record<string, unknown>>[];
  /** With what agents are spawned: as `agents`, and a `readyFile`. */
  readonly harnesses?: readonly Readonly<Record<string, unknown>>[];
}

/** The node that comes with `npm start`, and its id. */
export const LOCAL_NODE_ID = 'local';

type SampleAgent = 'echo' | 'ticker' | 'resident';

/** Where the build puts the agents that ship with Holdfast. */
export const sampleProgram = (checkout: string, name: SampleAgent): string =>
  join(checkout, 'dist/libs/runtimes/cli/samples', `${name}.js`);

/**
 * Its agents: one that answers with its prompt at once, and one that works for the seconds that its prompt names. Its harnesses
 * spawn one that stays until it is stopped, and one that ends by itself after the seconds that its task names.
 */
export const defaultNode = (checkout: string): LocalNode => ({
  id: LOCAL_NODE_ID,
  name: LOCAL_NODE_ID,
  workspace: 'main',
  capabilities: [],
  capacity: 8,
  maxRuns: 16,
  agents: [sampleOn(checkout, 'echo', 'echo'), sampleOn(checkout, 'ticker', 'ticker')],
  harnesses: [sampleOn(checkout, 'sample', 'resident'), sampleOn(checkout, 'ticker', 'ticker')],
});

const sampleOn = (checkout: string, name: string, program: SampleAgent) => ({
  name,
  runtime: 'cli',
  argv: [process.execPath, sampleProgram(checkout, program), '{prompt}'],
  promptBy: 'argument',
});

/** Where a node keeps its file, its journal and its work. */
export interface NodePlace {
  readonly folder: string;
  readonly file: string;
}

export const placeOfNode = (home: string, id: string): NodePlace => {
  const folder = id === LOCAL_NODE_ID ? join(home, 'node') : join(home, 'nodes', id);
  return { folder, file: join(folder, 'node.json') };
};

/** `node-agent` for the local node; others carry their id as well. */
export const processOfNode = (id: string): string =>
  id === LOCAL_NODE_ID ? 'node-agent' : `node-agent-${id}`;

/**
 * Writes a node's file.
 *
 * @param keep leave a file alone that is there: its owner may have added agents to it.
 */
export const writeNodeFile = async (
  { folder, file }: NodePlace,
  node: LocalNode,
  keep: boolean,
): Promise<void> => {
  await makePrivateFolder(folder);
  if (keep && (await readIfPresent(file)) !== undefined) return;
  await writePrivateFile(file, `${JSON.stringify(node, undefined, 2)}\n`);
};
