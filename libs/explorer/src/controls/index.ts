import { explore, type Exploration } from '../engine/index.js';
import { RUN_RULES, RUN_SHELL, RunModel, type RunBounds } from '../runs/index.js';
import {
  SESSION_RULES,
  SESSION_SHELL,
  SessionModel,
  type SessionBounds,
} from '../sessions/index.js';
import { SPAWN_RULES, SPAWN_SHELL, SpawnModel, type SpawnBounds } from '../spawns/index.js';
import { CLAIM_CONTROLS } from './claim.controls.js';
import type { RunControl } from './control.js';
import { JOURNAL_CONTROLS } from './journal.controls.js';
import { OUTCOME_CONTROLS } from './outcome.controls.js';
import { RESTORE_CONTROLS } from './restore.controls.js';
import type { SessionControl } from './session.controls.js';
import type { SpawnControl } from './spawn.wrappers.js';

export type { RunControl } from './control.js';
export { SESSION_CONTROLS, type SessionControl } from './session.controls.js';
export { GENERIC_SPAWN_CONTROLS } from './generic-spawn.controls.js';
export { SPAWN_CONTROLS } from './spawn.controls.js';
export type { SpawnControl } from './spawn.wrappers.js';

export const RUN_CONTROLS: readonly RunControl[] = [
  ...CLAIM_CONTROLS,
  ...JOURNAL_CONTROLS,
  ...OUTCOME_CONTROLS,
  ...RESTORE_CONTROLS,
];

/** Small enough to find the first violation soon, large enough for all that these rules are about. */
const SMALL: RunBounds = {
  attempts: 'single',
  generations: 2,
  crashes: 1,
  replacement: false,
  restore: false,
  staleSagas: false,
  shutdowns: false,
  orphans: false,
  timeLimit: false,
};
/** A control that has not broken by then breaks nothing. */
const STATES_MAX = 1_500_000;

/** Explores without the rule until the invariant that it carries is broken. */
export const exploreWithout = (control: RunControl, nowMs: () => number): Exploration =>
  explore(
    new RunModel({
      bounds: { ...SMALL, ...control.bounds },
      rules: { ...RUN_RULES, ...control.without?.(RUN_RULES) },
      shell: { ...RUN_SHELL, ...control.shell },
    }),
    { until: control.breaks, statesMax: STATES_MAX },
    nowMs,
  );

const ONE_STOP: SessionBounds = { attempts: 'single', generations: 1, stops: 1 };

/** The same for a rule of sessions. */
export const exploreSessionWithout = (control: SessionControl, nowMs: () => number): Exploration =>
  explore(
    new SessionModel({
      bounds: { ...ONE_STOP, ...control.bounds },
      rules: { ...SESSION_RULES, ...control.without?.(SESSION_RULES) },
      shell: { ...SESSION_SHELL, ...control.shell },
    }),
    { until: control.breaks, statesMax: STATES_MAX },
    nowMs,
  );

const ONE_SLOT: SpawnBounds = {
  kind: 'strict',
  rounds: 2,
  capacity: 1,
  others: 4,
  crashes: 1,
  lostAnswers: 1,
};

/** The same for a rule of spawns, or of the slots on a node. A goal is judged once everything was seen. */
export const exploreSpawnWithout = (control: SpawnControl, nowMs: () => number): Exploration =>
  explore(
    new SpawnModel({
      bounds: { ...ONE_SLOT, ...control.bounds },
      rules: { ...SPAWN_RULES, ...control.without?.(SPAWN_RULES) },
      shell: { ...SPAWN_SHELL, ...control.shell },
    }),
    { ...(control.breaks.startsWith('L') ? {} : { until: control.breaks }), statesMax: STATES_MAX },
    nowMs,
  );
