import { explore, type Exploration } from './engine/index.js';
import { RUN_RULES, RUN_SHELL, RunModel, type RunBounds } from './runs/index.js';
import {
  SESSION_RULES,
  SESSION_SHELL,
  SessionModel,
  type SessionBounds,
} from './sessions/index.js';
import { SPAWN_RULES, SPAWN_SHELL, SpawnModel, type SpawnBounds } from './spawns/index.js';

/** What is explored to the end, with every rule in force. */
export interface Configuration {
  readonly name: string;
  explore(nowMs: () => number): Explored;
}
export interface Explored extends Exploration {
  /** Every status that a run had: what holds must not hold for want of trying. */
  readonly statuses: readonly string[];
}

/** Far above what any configuration has: past it something grows without a bound. */
const STATES_MAX = 4_000_000;

const BASE: RunBounds = {
  attempts: 'single',
  generations: 3,
  crashes: 2,
  replacement: false,
  restore: false,
  staleSagas: false,
  shutdowns: false,
  orphans: false,
  timeLimit: false,
};

const runs = (
  what: string,
  bounds: Partial<RunBounds>,
  of: readonly RunBounds['attempts'][] = ['single', 'resumable'],
): readonly Configuration[] =>
  of.map((attempts) => {
    const all = { ...BASE, attempts, ...bounds };
    return {
      name: `${attempts}: ${what} (${all.generations} generations, ${all.crashes} ${all.crashes === 1 ? 'crash' : 'crashes'})`,
      explore: (nowMs) => {
        const model = new RunModel({ bounds: all, rules: RUN_RULES, shell: RUN_SHELL });
        const found = explore(model, { statesMax: STATES_MAX }, nowMs);
        return { ...found, statuses: model.statuses };
      },
    };
  });

const sessions = (name: string, bounds: SessionBounds): Configuration => ({
  name,
  explore: (nowMs) => {
    const model = new SessionModel({ bounds, rules: SESSION_RULES, shell: SESSION_SHELL });
    const found = explore(model, { statesMax: STATES_MAX }, nowMs);
    return { ...found, statuses: model.statuses };
  },
});

const spawns = (name: string, bounds: SpawnBounds): Configuration => ({
  name,
  explore: (nowMs) => {
    const model = new SpawnModel({ bounds, rules: SPAWN_RULES, shell: SPAWN_SHELL });
    const found = explore(model, { statesMax: STATES_MAX }, nowMs);
    return { ...found, statuses: model.statuses };
  },
});

/** After a restore, two journals hold what was forgotten. */
const RESTORED_TWICE_HELD = { restore: true, replacement: true, generations: 2, crashes: 1 };

export const RUN_CONFIGURATIONS: readonly Configuration[] = [
  ...runs('one journal', {}),
  ...runs('two stale sagas', { staleSagas: true }),
  ...runs('shutdowns, a time limit, orphans', { shutdowns: true, timeLimit: true, orphans: true }),
  ...runs('two journals under one node id', { replacement: true, generations: 2 }),
];

export const RESTORE_CONFIGURATIONS: readonly Configuration[] = [
  ...runs('a restore to any commit', { restore: true, generations: 2, crashes: 1 }),
  ...runs('a restore to any commit, and two journals', RESTORED_TWICE_HELD, ['single']),
];

export const SESSION_CONFIGURATIONS: readonly Configuration[] = [
  sessions('single: three runs of one session, two of them stopped', {
    attempts: 'single',
    generations: 1,
    stops: 2,
  }),
  sessions('resumable: three runs of one session, two of them stopped (2 generations)', {
    attempts: 'resumable',
    generations: 2,
    stops: 2,
  }),
];

export const SPAWN_CONFIGURATIONS: readonly Configuration[] = [
  spawns(
    'a strict spawn, and another one, on a node with one slot (2 rounds, 1 crash, 1 lost answer)',
    {
      kind: 'strict',
      rounds: 2,
      capacity: 1,
      others: 4,
      crashes: 1,
      lostAnswers: 1,
    },
  ),
  spawns(
    'a strict spawn, and another one, on a node with two slots (3 rounds, 2 crashes, 2 lost answers)',
    {
      kind: 'strict',
      rounds: 3,
      capacity: 2,
      others: 4,
      crashes: 2,
      lostAnswers: 2,
    },
  ),
];

export const GENERIC_SPAWN_CONFIGURATIONS: readonly Configuration[] = [
  spawns(
    'a generic spawn on two nodes with one slot each, one of which may be taken (2 rounds, 2 generations, 1 crash, 1 lost answer)',
    {
      kind: 'generic',
      rounds: 2,
      capacity: 1,
      others: 1,
      crashes: 1,
      lostAnswers: 1,
    },
  ),
];

/** What takes longer than unit tests should: `node dist/libs/explorer/src/main.js` explores these too. */
export const LARGE_RUN_CONFIGURATIONS: readonly Configuration[] = [
  ...runs('two journals under one node id', { replacement: true }),
  ...runs('a restore to any commit', { restore: true, generations: 2 }),
  ...runs('a restore to any commit, and two journals', RESTORED_TWICE_HELD, ['resumable']),
];
export const LARGE_SPAWN_CONFIGURATIONS: readonly Configuration[] = [
  spawns('a generic spawn on two nodes with one slot each (3 rounds, 2 generations)', {
    kind: 'generic',
    rounds: 3,
    capacity: 1,
    others: 0,
    crashes: 0,
    lostAnswers: 0,
  }),
];
