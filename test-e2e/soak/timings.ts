import { Fixture } from '../support/fixture.js';
import {
  deathToAdoption,
  deathToBeingTold,
  deathToOutcome,
  deathToResumption,
  deathToUnknown,
  stopAcrossRestart,
} from './deaths.js';
import type { Measures } from './measures.js';
import { commitsOfIdleSweeps, outages, refusals, sigtermToExit } from './restarts.js';

/** How often each death is repeated; each gives one sample for every run in flight. */
const REPEATS = 3;

export interface Timings {
  /** What was not as it should be while it was timed. */
  readonly problems: readonly string[];
  /** Commits made by three sweeps of the reconciler over a system at rest; null if it did not come to that. */
  readonly idleSweepCommits: number | null;
}

/** Times what follows a death, with the windows that users get. A part that fails is a problem, and the others go on. */
export const timeEverything = async (
  fixture: Fixture,
  measures: Measures,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (what: string) => void },
): Promise<Timings> => {
  const problems: string[] = [];
  let idleSweepCommits: number | null = null;
  const deaths: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['death to unknown', () => deathToUnknown(fixture, measures)],
    ['death to being told', () => deathToBeingTold(fixture, measures)],
    ['death to adoption', () => deathToAdoption(fixture, measures)],
    ['death to a found outcome', () => deathToOutcome(fixture, measures)],
    ['death to resumption', () => deathToResumption(fixture, measures)],
    ['a stop across a restart', () => stopAcrossRestart(fixture, measures)],
    ['outages', () => outages(fixture, measures)],
    [
      'SIGTERM to exit',
      async () => {
        problems.push(...(await sigtermToExit(fixture, measures)));
      },
    ],
  ];
  const once: typeof deaths = [
    ['refusals', () => refusals(fixture, measures)],
    [
      'idle sweeps',
      async () => {
        idleSweepCommits = await commitsOfIdleSweeps(fixture);
      },
    ],
  ];
  const steps = [...Array.from({ length: REPEATS }, () => deaths).flat(), ...once];
  for (const [name, act] of steps) {
    if (signal.aborted) break;
    say(`timing: ${name}`);
    try {
      await act();
    } catch (error) {
      if (signal.aborted) break;
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { problems, idleSweepCommits };
};

/** A system with the default windows, grace included. */
export const timedSystem = (): Promise<Fixture> =>
  Fixture.start({ windows: {}, node: { stopGraceMs: 5_000 } });
