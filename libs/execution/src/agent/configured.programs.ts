import { join } from 'node:path';
import { PlanRefused, type LaunchPlan, type RuntimeAdapter, type WorkOrder } from '#runtimes';
import type { Frame } from '#contracts';
import { PROGRAM_FOLDER } from '../process/index.js';
import { NotStartable } from './ports.js';

/** An agent of this node, as its configuration names it: the adapter, and what is checked for it. */
export interface ConfiguredAgent {
  readonly name: string;
  readonly adapter: RuntimeAdapter;
  readonly config: unknown;
}

/** How agents are started that are spawned on this node. */
export interface ConfiguredHarness extends ConfiguredAgent {
  /** Absolute: while it is not there, the harness is not ready. Null: it has none. */
  readonly readyFile: string | null;
}

/** What a node can start, by the names of its configuration. */
export interface ConfiguredPrograms {
  readonly agents: ReadonlyMap<string, ConfiguredAgent>;
  readonly harnesses: ReadonlyMap<string, ConfiguredHarness>;
}

/** In the environment of an agent that is spawned: the name that it goes by. */
export const AGENT_VARIABLE = 'HOLDFAST_AGENT';

/** What a frame starts; undefined when it is no longer (or never was) in the node's configuration. */
export const programOf = (
  { agents, harnesses }: ConfiguredPrograms,
  { agent, spawn }: Frame,
): ConfiguredAgent | undefined =>
  spawn === undefined ? agents.get(agent) : harnesses.get(spawn.harness);

/** @throws NotStartable it is not in the configuration. */
export const startableOf = (programs: ConfiguredPrograms, frame: Frame): ConfiguredAgent => {
  const program = programOf(programs, frame);
  if (program !== undefined) return program;
  if (frame.spawn === undefined)
    throw new NotStartable('AGENT_NOT_CONFIGURED', `this node has no agent ${frame.agent}`);
  const { harness } = frame.spawn;
  throw new NotStartable('HARNESS_NOT_CONFIGURED', `this node has no harness ${harness}`);
};

/** @throws NotStartable the order can't be carried out as configured. */
export const planOf = (
  { adapter, config }: ConfiguredAgent,
  order: WorkOrder,
  { agent, spawn }: Frame,
): LaunchPlan => {
  try {
    const plan = adapter.plan(order, config);
    if (spawn === undefined) return plan;
    const env = { ...plan.env, [AGENT_VARIABLE]: agent };
    return { ...plan, env, ...(spawn.directory !== null && { cwd: spawn.directory }) };
  } catch (error) {
    if (!(error instanceof PlanRefused)) throw error;
    throw new NotStartable(error.code, error.message, { cause: error });
  }
};

/** The directory in which a planned program works. */
export const cwdOf = ({ cwd }: LaunchPlan, { workdir }: WorkOrder): string =>
  cwd ?? join(workdir, PROGRAM_FOLDER);
