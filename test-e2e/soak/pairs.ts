import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES, isSettled, type RunStatus } from '#runs/contract';
import type { Commit } from '#event-store';
import { fold } from '#kernel';
import { evolveRun, initialRun, type RunEvent, type RunState } from '#runs/domain';
import type { Kill } from '../support/faults.js';

/** Everything that can be killed between an accepted run and its outcome. */
export const PROCESSES = [
  'gateway',
  'commands',
  'sagas',
  'projector',
  'queries',
  'reconciler',
  'node-agent',
  'nats-server',
  'postgres',
  'shim',
  'program',
] as const;
export type Process = (typeof PROCESSES)[number];

/** Where a run can stand while something is killed. */
export const STATES: readonly RunStatus[] = [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES];

export interface Pair {
  readonly process: Process;
  readonly state: RunStatus;
}

export const nameOf = ({ process, state }: Pair): string => `${process} × ${state}`;

/** Why a run in this state has neither a program nor a shim that could be killed. */
const WITHOUT_PROGRAM: Partial<Record<RunStatus, string>> = {
  queued:
    'no program exists: one is started only for a claimed run, and one that was given up before it began has ended',
  dispatched: 'no program exists: the claim, which makes the run running, comes before the start',
  stopped:
    'no program that a signal reaches is left: a stop is recorded only once the process group is proven gone, or was never started',
};

/** @returns why the pair can't be, or null when it can. */
export const whyImpossible = ({ process, state }: Pair): string | null => {
  switch (process) {
    case 'shim':
    case 'program':
      return WITHOUT_PROGRAM[state] ?? null;
    case 'gateway':
    case 'commands':
    case 'sagas':
    case 'projector':
    case 'queries':
    case 'reconciler':
    case 'node-agent':
    case 'nats-server':
    case 'postgres':
      return null; // They live their lives whatever a run does.
  }
};

/** Every combination, exactly once. */
export const ALL_PAIRS: readonly Pair[] = PROCESSES.flatMap((process) =>
  STATES.map((state) => ({ process, state })),
);
export const POSSIBLE_PAIRS: readonly Pair[] = ALL_PAIRS.filter(
  (pair) => whyImpossible(pair) === null,
);

/** A program may run in these only because its node is silent: nobody else knows of it, or an operator decided without it. */
export const needsSilentNode = (state: RunStatus): boolean =>
  state === 'unknown' || isSettled(state);

/** What a kill of this victim counts for; victims outside of the table count for nothing. */
export const processesOf = (victim: string): readonly Process[] => {
  if (victim === 'program-group') return ['shim', 'program'];
  const name = victim.startsWith('node-agent') ? 'node-agent' : victim;
  return PROCESSES.filter((process) => process === name);
};

/**
 * The pairs that kills hit, by what the stream held of these runs at that very moment: a commit that was stored before the kill
 * counts, one of the same millisecond or later does not. So a run that moved on in between is counted where it stood.
 */
export const pairsHit = (
  commits: readonly Commit[],
  runIds: readonly string[],
  kills: readonly Kill[],
): readonly Pair[] =>
  kills.flatMap(({ victim, at, runId }) => {
    const runs = runId === undefined ? runIds : [runId];
    const standing = statesAt(commits, runs, at);
    return processesOf(victim).flatMap((process) => standing.map((state) => ({ process, state })));
  });

const statesAt = (
  commits: readonly Commit[],
  runIds: readonly string[],
  at: number,
): readonly RunStatus[] => {
  const runs = new Map<string, RunState>(runIds.map((runId) => [runId, initialRun(runId)]));
  for (const { ref, events, storedAt } of commits) {
    const before = ref.aggregate === 'run' ? runs.get(ref.id) : undefined;
    if (before === undefined || storedAt >= at) continue;
    runs.set(ref.id, fold(evolveRun, before, events as readonly RunEvent[]));
  }
  return [...runs.values()].flatMap(({ status }) => (status === 'none' ? [] : [status]));
};
