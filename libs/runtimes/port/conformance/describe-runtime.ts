import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RESUMABLE_CASES } from './resumable-cases.js';
import { SINGLE_CASES } from './single-cases.js';
import type { ResumableUnderTest, SingleUnderTest } from './under-test.js';

export type ResumableCaseName = keyof typeof RESUMABLE_CASES;
export type SingleCaseName = keyof typeof SINGLE_CASES;

export interface ConformanceOptions<Name extends string> {
  /** Cases that this adapter can't be put through, each with the reason. */
  readonly leftOut?: { readonly [Case in Name]?: string };
  /** A negative control: the adapter is broken in one way, and this case, the only one that runs, must notice. */
  readonly breaks?: Name;
  /** What the rule catalogue calls a case: put into its title. */
  readonly tags?: { readonly [Case in Name]?: string };
}

/** A bound for broken code, not an expectation. Unit: milliseconds. */
const CASE_MAX_MS = 60_000;

/**
 * Kills a real runtime and its real client at every point of an attempt, and reads from a ledger outside of both what reached
 * the runtime.
 *
 * @param make a runtime of its own for each case.
 */
export const describeResumableRuntime = (
  name: string,
  make: () => Promise<ResumableUnderTest>,
  options: ConformanceOptions<ResumableCaseName> = {},
): void => describeRuntime(`resumable runtime: ${name}`, RESUMABLE_CASES, make, options);

/** The same for a runtime that can't be asked what became of a prompt. */
export const describeSingleAttemptRuntime = (
  name: string,
  make: () => Promise<SingleUnderTest>,
  options: ConformanceOptions<SingleCaseName> = {},
): void => describeRuntime(`single-attempt runtime: ${name}`, SINGLE_CASES, make, options);

const describeRuntime = <Name extends string, Under extends { close(): Promise<void> }>(
  title: string,
  cases: Readonly<Record<Name, (under: Under) => Promise<void>>>,
  make: () => Promise<Under>,
  { leftOut = {}, breaks, tags = {} }: ConformanceOptions<Name>,
): void => {
  describe(title, () => {
    let under: Under;
    beforeEach(async () => {
      under = await make();
    });
    afterEach(() => under.close());
    const names = (Object.keys(cases) as Name[]).filter((name) =>
      breaks === undefined ? leftOut[name] === undefined : name === breaks,
    );
    for (const name of names) {
      const tag = tags[name];
      const what = tag === undefined ? name : `${tag} ${name}`;
      it(
        breaks === undefined ? what : `is caught by: ${name}`,
        async () => {
          if (breaks === undefined) await cases[name](under);
          else expect(await verdictOf(() => cases[name](under))).toBe('broken');
        },
        CASE_MAX_MS,
      );
    }
  });
};

/** Whether a case found its promise broken. A case that itself goes wrong has found nothing. */
const verdictOf = async (run: () => Promise<void>): Promise<'kept' | 'broken'> => {
  try {
    await run();
    return 'kept';
  } catch (error) {
    const isExpectation = error instanceof Error && 'matcherResult' in error;
    if (isExpectation) return 'broken';
    throw error;
  }
};
