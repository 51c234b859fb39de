import { readFile } from 'node:fs/promises';
import type { ConfiguredAgent, ConfiguredHarness } from '#execution/agent';
import type { RuntimeAdapter } from '#runtimes';

/** What the node's configuration file says. JSON; see `docs/nodes.md` for an example. */
export interface NodeConfig {
  /** `[A-Za-z0-9_-]{1,64}`; belongs to one workspace, and to one machine. */
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly capabilities: readonly string[];
  /** How many spawned agents it can hold: 0 to 10,000. */
  readonly capacity: number;
  /** How many runs may execute at once: 1 to 1,000. Default 16. */
  readonly maxRuns: number;
  /** From SIGTERM to SIGKILL when a program is stopped, ms: 0 to 600,000. Default 5,000. */
  readonly stopGraceMs: number;
  readonly agents: ReadonlyMap<string, ConfiguredAgent>;
  /** With what agents are spawned on it. */
  readonly harnesses: ReadonlyMap<string, ConfiguredHarness>;
}

/** The file contradicts what is allowed. Names every problem, not just the first. */
export class InvalidNodeConfig extends Error {
  override readonly name = 'InvalidNodeConfig';
  constructor(
    readonly path: string,
    readonly problems: readonly string[],
  ) {
    super(`${path}: ${problems.join('; ')}`);
  }
}

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const AGENTS_MAX = 200;
const HARNESSES_MAX = 64;
/** The runtimes that need nobody who speaks to them: an agent that is spawned has its task, and is left alone with it. */
const HARNESS_RUNTIMES: readonly string[] = ['cli'];

/**
 * Reads and checks the node's file.
 *
 * @param runtimeOf the adapter of that name; undefined when this node knows none.
 * @throws InvalidNodeConfig with all problems.
 */
export const readNodeConfig = async (
  path: string,
  runtimeOf: (name: string) => RuntimeAdapter | undefined,
): Promise<NodeConfig> => {
  let raw: unknown;
  try {
    raw = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InvalidNodeConfig(path, [`can't be read as JSON: ${(error as Error).message}`]);
  }
  const problems: string[] = [];
  const config = checked(raw, problems, runtimeOf);
  if (problems.length > 0 || config === undefined) throw new InvalidNodeConfig(path, problems);
  return config;
};

type Raw = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checked = (
  raw: unknown,
  problems: string[],
  runtimeOf: (name: string) => RuntimeAdapter | undefined,
): NodeConfig | undefined => {
  if (!isObject(raw)) {
    problems.push('is not a JSON object');
    return undefined;
  }
  const known = [
    'id',
    'name',
    'workspace',
    'capabilities',
    'capacity',
    'maxRuns',
    'stopGraceMs',
    'agents',
    'harnesses',
  ];
  for (const key of Object.keys(raw))
    if (!known.includes(key)) problems.push(`${key} is not known`);
  const id = token(raw, 'id', undefined, problems);
  return Object.freeze({
    id,
    name: text(raw, 'name', id, problems),
    workspace: token(raw, 'workspace', 'main', problems),
    capabilities: texts(raw, 'capabilities', problems),
    capacity: count(raw, 'capacity', { fallback: 0, min: 0, max: 10_000 }, problems),
    maxRuns: count(raw, 'maxRuns', { fallback: 16, min: 1, max: 1_000 }, problems),
    stopGraceMs: count(raw, 'stopGraceMs', { fallback: 5_000, min: 0, max: 600_000 }, problems),
    agents: namedPrograms(raw, 'agents', AGENTS_MAX, problems, (entry, where) =>
      agentOf(entry, where, problems, runtimeOf),
    ),
    harnesses: namedPrograms(raw, 'harnesses', HARNESSES_MAX, problems, (entry, where) =>
      harnessOf(entry, where, problems, runtimeOf),
    ),
  });
};

/** A list of what can be started, each with a name of its own. */
const namedPrograms = <Program extends ConfiguredAgent>(
  raw: Raw,
  key: string,
  max: number,
  problems: string[],
  programOf: (entry: Raw, where: string) => Program | undefined,
): ReadonlyMap<string, Program> => {
  const programs = new Map<string, Program>();
  const list = raw[key] ?? [];
  if (!Array.isArray(list) || list.length > max) {
    problems.push(`${key} must be a list of at most ${String(max)}`);
    return programs;
  }
  list.forEach((entry: unknown, index) => {
    const where = `${key}[${String(index)}]`;
    if (!isObject(entry)) {
      problems.push(`${where} is not an object`);
      return;
    }
    const program = programOf(entry, where);
    if (program === undefined) return;
    const { name } = program;
    if (programs.has(name)) problems.push(`${where}.name ${name} is there twice`);
    programs.set(name, program);
  });
  return programs;
};

const agentOf = (
  { name, runtime, ...rest }: Raw,
  where: string,
  problems: string[],
  runtimeOf: (name: string) => RuntimeAdapter | undefined,
): ConfiguredAgent | undefined => {
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    problems.push(`${where}.name must match ${TOKEN.source}`);
    return undefined;
  }
  const adapter = typeof runtime === 'string' ? runtimeOf(runtime) : undefined;
  if (adapter === undefined) {
    problems.push(`${where}.runtime ${JSON.stringify(runtime)} is not a runtime of this node`);
    return undefined;
  }
  const validated = adapter.validateConfig(rest);
  if (validated.ok) return { name, adapter, config: validated.config };
  problems.push(...validated.problems.map((problem) => `${where} (${name}): ${problem}`));
  return undefined;
};

const harnessOf = (
  { readyFile, ...rest }: Raw,
  where: string,
  problems: string[],
  runtimeOf: (name: string) => RuntimeAdapter | undefined,
): ConfiguredHarness | undefined => {
  if (readyFile !== undefined && !isAbsolutePath(readyFile))
    problems.push(`${where}.readyFile must be an absolute path`);
  const { runtime } = rest;
  if (typeof runtime === 'string' && isOther(runtimeOf(runtime))) {
    const allowed = HARNESS_RUNTIMES.join(', ');
    problems.push(`${where}.runtime ${runtime} can not spawn agents; allowed are: ${allowed}`);
    return undefined;
  }
  const agent = agentOf(rest, where, problems, runtimeOf);
  return agent && { ...agent, readyFile: isAbsolutePath(readyFile) ? readyFile : null };
};

/** A runtime of this node, and none that an agent is spawned with. */
const isOther = (adapter: RuntimeAdapter | undefined): boolean =>
  adapter !== undefined && !HARNESS_RUNTIMES.includes(adapter.name);

const isAbsolutePath = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/') && !value.includes('\0');

const token = (raw: Raw, key: string, fallback: string | undefined, problems: string[]): string => {
  const value = raw[key] ?? fallback;
  if (typeof value === 'string' && TOKEN.test(value)) return value;
  problems.push(`${key} is ${JSON.stringify(value)}, must match ${TOKEN.source}`);
  return '';
};

const text = (raw: Raw, key: string, fallback: string, problems: string[]): string => {
  const value = raw[key] ?? fallback;
  if (typeof value === 'string' && value.length >= 1 && value.length <= 200) return value;
  problems.push(`${key} must be a text of 1 to 200 characters`);
  return '';
};

const texts = (raw: Raw, key: string, problems: string[]): readonly string[] => {
  const value = raw[key] ?? [];
  if (
    Array.isArray(value) &&
    value.length <= 64 &&
    value.every((item) => typeof item === 'string' && TOKEN.test(item))
  )
    return value as string[];
  problems.push(`${key} must be a list of at most 64 names that match ${TOKEN.source}`);
  return [];
};

const count = (
  raw: Raw,
  key: string,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
  problems: string[],
): number => {
  const value = raw[key] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value;
  problems.push(`${key} is ${JSON.stringify(value)}, allowed are ${String(min)} to ${String(max)}`);
  return fallback;
};
