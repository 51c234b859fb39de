import { existsSync } from 'node:fs';
import { PlanRefused, type LaunchPlan, type WorkOrder } from '#runtimes';
import { candidatesOf, environmentOf, isExecutableNow } from '../process/index.js';
import { cwdOf, type ConfiguredHarness } from './configured.programs.js';

/** An order for nothing: only which program would be started is looked at. */
const NO_ORDER: WorkOrder = {
  runId: '-',
  session: '-',
  agent: '-',
  generation: 1,
  ask: { kind: 'initial', prompt: '' },
  workdir: '/',
  earlierWorkdirs: [],
};

/**
 * The names of the harnesses that could not start an agent now: their program is not there, or can't be executed, or
 * their ready file is missing. A few looks at the file system for each, and no waiting: asked at each renewal of a lease.
 *
 * @param environment the node-agent's own.
 */
export const harnessesNotReady = (
  harnesses: Iterable<ConfiguredHarness>,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  [...harnesses].filter((harness) => !isReady(harness, environment)).map(({ name }) => name);

const isReady = (
  harness: ConfiguredHarness,
  environment: Readonly<Record<string, string | undefined>>,
): boolean => {
  const { readyFile } = harness;
  if (readyFile !== null && !existsSync(readyFile)) return false;
  const plan = planOfNothing(harness);
  if (plan === null) return false;
  const { PATH } = environmentOf(environment, plan.passEnv, plan.env);
  return candidatesOf(plan.argv[0], cwdOf(plan, NO_ORDER), PATH).some(isExecutableNow);
};

/** Null when not even an empty task could be given to it. */
const planOfNothing = ({ adapter, config }: ConfiguredHarness): LaunchPlan | null => {
  try {
    return adapter.plan(NO_ORDER, config);
  } catch (error) {
    if (error instanceof PlanRefused) return null;
    throw error;
  }
};
