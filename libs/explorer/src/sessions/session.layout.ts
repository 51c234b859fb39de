/** Where the parts of a session's world stand in its packed state. */
export const AT = {
  /** The folds of the three runs. */
  runs: 0,
  session: 3,
  /** Two writers, commands or sagas: what each has decided and not yet appended. 0 = nothing. */
  writers: 4,
  /** Wake-ups that are not handled yet, see {@link TASK}: they are kept until they are. */
  tasks: 6,
  /** The order of the commits that queued, and of the admissions: digits to the base 4, run + 1. */
  order: 7,
  admitted: 8,
  /** How many runs may still be stopped. */
  stopsLeft: 9,
} as const;
export const WIDTH = 10;

/** Bits of {@link AT.tasks}. */
export const TASK = {
  /** A run got its place in the order. */
  queued: 1,
  /** The place was given to the next run. */
  advanced: 2,
  /** A run is over. */
  settled: 4,
  /** Shifted by the run: it must be looked at. */
  run: 8,
} as const;

export type RunIndex = 0 | 1 | 2;
export const RUNS: readonly RunIndex[] = [0, 1, 2];
/** The ids of the runs; the opener's is the session's. */
export const RUN_IDS = ['r0', 'r1', 'r2'] as const;
export const SESSION_ID = RUN_IDS[0];
export const indexOf = (runId: string): RunIndex =>
  runId === RUN_IDS[0] ? 0 : runId === RUN_IDS[1] ? 1 : 2;

export const withDigit = (digits: number, run: RunIndex): number => digits * 4 + run + 1;
/** First to last. */
export const digitsOf = (digits: number): readonly number[] =>
  digits === 0 ? [] : [...digitsOf(digits >> 2), (digits & 3) - 1];
