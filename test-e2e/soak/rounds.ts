import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DEFAULT_WINDOWS } from '#platform';
import { chanceOf, startedAgain, type Kill } from '../support/faults.js';
import { Fixture, SHORT_WINDOWS } from '../support/fixture.js';
import { killRound, type RoundResult } from '../support/round.js';
import { runsOf } from '../support/stream.js';
import { leftBehindOf } from './left-behind.js';
import type { Measures } from './measures.js';
import { pairsHit, processesOf } from './pairs.js';
import type { RoundReport } from './report.js';
import { roundOf, type PlannedRound } from './rounds.plan.js';
import { STEERED_NODE, steeredRound } from './steered.round.js';

/** A fresh system now and then: each check reads the whole stream, which must not grow for ever. */
const ROUNDS_A_SYSTEM = 25;
const READY_MAX_MS = 60_000;
/** Parts of the turns that the resumable runtime forgets, or ends when its client dies. */
const TURNS_LOST = 0.1;
const TURNS_ABORTED = 0.5;
/**
 * Short, as in the tests, so that a death is noticed in a second. But a run is stranded as late as with the defaults: services
 * take as long to start as they always do, and a run that waits for one must not end for that.
 */
const WINDOWS = { ...SHORT_WINDOWS, strandedMs: DEFAULT_WINDOWS.strandedMs };

export interface RoundsToDo {
  readonly seed: number;
  readonly from: number;
  /** How many at most. */
  readonly rounds: number;
  /** No round is begun after it, by the monotonic clock, ms; Infinity: no bound. */
  readonly deadline: number;
  /** Whose build is started; absent: this checkout's. */
  readonly checkout?: string;
  /** Where the logs of failed rounds go. */
  readonly out: string;
  /** Ends after the first round that fails. */
  readonly untilFailure?: boolean;
}

export interface RoundsDone {
  readonly rounds: RoundReport[];
  systems: number;
  recoveryPrompts: number;
  readonly leftBehind: string[];
}

export interface Watch {
  readonly signal: AbortSignal;
  readonly measures: Measures;
  readonly onSystem: (fixture: Fixture) => Promise<void>;
  readonly onRound: (report: RoundReport) => void;
}

/** Round after round, each on the system that the one before has left, until enough is done or somebody ends it. */
export const doRounds = async (
  todo: RoundsToDo,
  watch: Watch,
  done: RoundsDone = { rounds: [], systems: 0, recoveryPrompts: 0, leftBehind: [] },
): Promise<RoundsDone> => {
  let fixture: Fixture | undefined;
  let age = 0;
  const retire = async (): Promise<void> => {
    const old = fixture;
    fixture = undefined;
    age = 0;
    if (old === undefined) return;
    done.recoveryPrompts += old.turns().filter(({ kind }) => kind === 'recovery').length;
    await old.destroy();
    done.leftBehind.push(...(await leftBehindOf(old.folder)));
  };
  try {
    for (let at = 0; at < todo.rounds; at += 1) {
      if (watch.signal.aborted || performance.now() > todo.deadline) break;
      const planned = roundOf(todo.seed, todo.from + at);
      if (fixture === undefined) {
        fixture = await systemFor(planned.seed, todo.checkout);
        done.systems += 1;
        await watch.onSystem(fixture);
      }
      const report = await unlessAborted(watch.signal, oneRound(fixture, planned, watch));
      if (report === undefined) break;
      done.rounds.push(report);
      watch.onRound(report);
      const failed = report.violations.length > 0;
      if (failed) await keepLogs(fixture, report, todo.out);
      if (failed && todo.untilFailure === true) break;
      age += 1;
      if (failed || age === ROUNDS_A_SYSTEM) await retire();
    }
  } finally {
    await retire();
  }
  return done;
};

const systemFor = (seed: number, checkout: string | undefined): Promise<Fixture> =>
  Fixture.start({
    behaviours: {
      loseAckedTurn: TURNS_LOST,
      abortWhenClientDies: TURNS_ABORTED,
      seed,
    },
    node: STEERED_NODE,
    windows: WINDOWS,
    ...(checkout === undefined ? {} : { checkout }),
  });

/** A round that throws has failed too: nothing that it met may stop the others. */
const oneRound = async (
  fixture: Fixture,
  { round, seed, steering }: PlannedRound,
  { measures }: Watch,
): Promise<RoundReport> => {
  const from = performance.now();
  const successors: Promise<string[]>[] = [];
  const onKill = (kill: Kill): void => {
    successors.push(successorOf(fixture, kill, measures));
  };
  const base = { round, seed, steering: steering ?? null };
  try {
    const result = await (steering === undefined
      ? killRound(fixture, chanceOf(seed), onKill)
      : steeredRound(fixture, steering, onKill));
    const late = (await Promise.all(successors)).flat();
    return {
      ...base,
      ...(await accountOf(fixture, result)),
      violations: [...result.violations, ...late],
      ms: Math.round(performance.now() - from),
    };
  } catch (error) {
    return {
      ...base,
      fault: steering === undefined ? 'any victim at any moment' : `${steering.victim}, steered`,
      ms: Math.round(performance.now() - from),
      kills: 0,
      hits: [],
      statuses: {},
      sends: [],
      failures: {},
      furtherDispatches: 0,
      violations: [inspect(error)],
    };
  }
};

const accountOf = async (
  fixture: Fixture,
  { fault, statuses, runIds, kills }: RoundResult,
): Promise<Omit<RoundReport, 'round' | 'seed' | 'steering' | 'ms' | 'violations'>> => {
  const sends: number[] = [0, 0];
  for (const runId of runIds) {
    const times = await fixture.initials(runId);
    sends[times] = (sends[times] ?? 0) + 1;
  }
  const commits = await fixture.stream.allAnew();
  const runs = runsOf(commits);
  const failures: Record<string, number> = {};
  let furtherDispatches = 0;
  for (const runId of runIds) {
    const run = runs.get(runId);
    if (run === undefined || run.status === 'none') continue;
    furtherDispatches += Math.max(0, run.generation - 1);
    const code = run.code ?? 'decided by an operator';
    if (run.status === 'failed') failures[code] = (failures[code] ?? 0) + 1;
  }
  return {
    fault,
    statuses,
    hits: pairsHit(commits, runIds, kills),
    kills: kills.length,
    sends: Array.from(sends, (n) => n ?? 0),
    failures,
    furtherDispatches,
  };
};

/** Times how a killed process is replaced. @returns what went wrong with that. */
const successorOf = async (fixture: Fixture, kill: Kill, measures: Measures): Promise<string[]> => {
  const { victim, at, runId } = kill;
  const [process] = processesOf(victim);
  if (process === undefined || runId !== undefined) return [];
  try {
    measures.add(`replacement.started.${process}`, (await startedAgain(fixture, kill)) - at);
    await fixture.stack.ready(victim, READY_MAX_MS);
    measures.add(`replacement.ready.${process}`, Date.now() - at);
    return [];
  } catch (error) {
    return [`${victim} was not replaced: ${inspect(error)}`];
  }
};

/** What a failed round leaves for whoever looks into it: the logs, and the events of its system. */
const keepLogs = async (fixture: Fixture, report: RoundReport, out: string): Promise<void> => {
  const folder = join(out, `round-${report.round}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'round.json'), `${JSON.stringify(report, null, 2)}\n`);
  await cp(join(fixture.folder, 'home', 'logs'), join(folder, 'logs'), { recursive: true });
  try {
    const commits = (await fixture.stream.allAnew()).map(({ ref, revision, storedAt, events }) => ({
      ref,
      revision,
      storedAt,
      events,
    }));
    await writeFile(join(folder, 'stream.json'), `${JSON.stringify(commits, null, 1)}\n`);
  } catch (error) {
    await writeFile(join(folder, 'stream-unreadable.txt'), inspect(error));
  }
};

/** @returns undefined when it was ended before it came to a result. */
export const unlessAborted = async <Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result | undefined> => {
  if (signal.aborted) return undefined;
  const stop = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: stop.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
};
