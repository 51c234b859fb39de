import type { RunStatus } from '#runs/contract';
import {
  ALL_PAIRS,
  POSSIBLE_PAIRS,
  PROCESSES,
  STATES,
  nameOf,
  whyImpossible,
  type Pair,
} from './pairs.js';
import type { Steering } from './rounds.plan.js';

/** One round that was done. */
export interface RoundReport {
  readonly round: number;
  readonly seed: number;
  readonly steering: Steering | null;
  /** What was done, in words. */
  readonly fault: string;
  readonly ms: number;
  readonly kills: number;
  readonly hits: readonly Pair[];
  readonly statuses: Readonly<Record<string, number>>;
  /** Runs by how often their prompt was received: index 0 is never. */
  readonly sends: readonly number[];
  /** Failed runs by their code. */
  readonly failures: Readonly<Record<string, number>>;
  /** Dispatches after the first one of a run: nothing had been sent yet, or a resumable turn was resumed. */
  readonly furtherDispatches: number;
  /** What must be empty. */
  readonly violations: readonly string[];
}

/** The same checks, turned on a build without one of its rules. */
export interface ControlReport {
  readonly sabotage: string;
  readonly rounds: number;
  /** What was caught; empty means that the checks can't be trusted. */
  readonly violations: readonly string[];
}

export interface Environment {
  readonly commit: string;
  /** The checkout differed from its commit. */
  readonly dirty: boolean;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly durability: string;
}

export interface SoakReport {
  readonly environment: Environment;
  readonly command: string;
  readonly startedAt: string;
  readonly minutes: number;
  readonly seed: number;
  /** Of the machine, over one minute, at the start and at the end. */
  readonly load: readonly [number, number];
  readonly interrupted: boolean;
  readonly sabotage: string | null;
  readonly control: ControlReport | null;
  readonly rounds: readonly RoundReport[];
  readonly systems: number;
  readonly recoveryPrompts: number;
  readonly measures: Readonly<Record<string, readonly number[]>>;
  readonly timing: {
    readonly windows: Readonly<Record<string, number>>;
    readonly problems: readonly string[];
    readonly idleSweepCommits: number | null;
  } | null;
  /** Processes and folders of this soak that were there after it. */
  readonly leftBehind: readonly string[];
}

export interface Cell {
  readonly process: string;
  readonly state: RunStatus;
  readonly hits: number;
  readonly whyImpossible: string | null;
}

/** How often each pair was hit. Nothing but the hits of the rounds is counted. */
export const matrixOf = (rounds: readonly Pick<RoundReport, 'hits'>[]): readonly Cell[] => {
  const counts = new Map<string, number>();
  for (const pair of rounds.flatMap(({ hits }) => hits))
    counts.set(nameOf(pair), (counts.get(nameOf(pair)) ?? 0) + 1);
  return ALL_PAIRS.map((pair) => ({
    ...pair,
    hits: counts.get(nameOf(pair)) ?? 0,
    whyImpossible: whyImpossible(pair),
  }));
};

export const pairsNotHit = (cells: readonly Cell[]): readonly string[] =>
  cells
    .filter((cell) => cell.whyImpossible === null && cell.hits === 0)
    .map(({ process, state }) => `${process} × ${state}`);

/** What was said to be impossible, and happened: then the table of reasons is wrong. */
export const impossibleHits = (cells: readonly Cell[]): readonly string[] =>
  cells
    .filter((cell) => cell.whyImpossible !== null && cell.hits > 0)
    .map(({ process, state }) => `${process} × ${state}`);

export interface Verdict {
  readonly failedRounds: readonly RoundReport[];
  readonly notHit: readonly string[];
  readonly impossible: readonly string[];
  /** Everything that is not as it must be, in words. */
  readonly problems: readonly string[];
  /** Why this is too little to claim that every possible pair is survived; empty when it is enough. */
  readonly missing: readonly string[];
}

export const ROUNDS_WANTED = 100;

/** What the report may claim. A pair that was not hit, a control that did not catch, a round that was not done: all are said. */
export const verdictOf = (report: SoakReport): Verdict => {
  const cells = matrixOf(report.rounds);
  const failedRounds = report.rounds.filter(({ violations }) => violations.length > 0);
  const notHit = pairsNotHit(cells);
  const impossible = impossibleHits(cells);
  const { control, timing, rounds, interrupted, leftBehind } = report;
  const problems = [
    ...failedRounds.map(({ round, violations }) => `round ${round}: ${violations.join('; ')}`),
    ...impossible.map((pair) => `${pair} was said to be impossible, and was hit`),
    ...(control !== null && control.violations.length === 0
      ? [`the negative control (${control.sabotage}) was not caught`]
      : []),
    ...(timing?.problems ?? []),
    ...leftBehind.map((what) => `left behind: ${what}`),
  ];
  const missing = [
    ...(notHit.length > 0
      ? [`${notHit.length} of ${POSSIBLE_PAIRS.length} possible pairs were not hit`]
      : []),
    ...(rounds.length < ROUNDS_WANTED ? [`${rounds.length} of ${ROUNDS_WANTED} rounds`] : []),
    ...(control === null ? ['no negative control'] : []),
    ...(timing === null ? ['no timings'] : []),
    ...(interrupted ? ['it was ended before its end'] : []),
    ...(report.environment.dirty ? ['the checkout differed from its commit'] : []),
  ];
  return { failedRounds, notHit, impossible, problems, missing };
};

/** One row per process, one column per state: `12`, `not hit`, or `–` where it can't be. */
export const matrixTable = (cells: readonly Cell[]): readonly string[] => [
  `| killed | ${STATES.join(' | ')} |`,
  `| --- | ${STATES.map(() => '---:').join(' | ')} |`,
  ...PROCESSES.map((process) => {
    const row = STATES.map((state) => {
      const cell = cells.find((one) => one.process === process && one.state === state);
      if (cell === undefined) throw new Error(`bug: no cell for ${process} × ${state}`);
      if (cell.hits > 0) return String(cell.hits);
      return cell.whyImpossible === null ? '**not hit**' : '–';
    });
    return `| ${process} | ${row.join(' | ')} |`;
  }),
];
