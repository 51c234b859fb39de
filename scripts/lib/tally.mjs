/**
 * What one phase came to. A phase that is not a test suite counts as one.
 *
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} problems one line for each thing that failed.
 */

/** @type {Outcome} */
export const PASSED = { passed: 1, failed: 0, problems: [] };

/** @param {string} problem @returns {Outcome} */
export const failed = (problem) => ({ passed: 0, failed: 1, problems: [problem] });

/**
 * Of jest's JSON report, what is counted.
 *
 * @typedef {object} JestReport
 * @property {{ name: string, message: string, status: string, assertionResults: { fullName: string, status: string }[] }[]} testResults
 */

/**
 * Counts the tests of a jest run. Skipped tests count as failed, as long as nobody asked for a part of them: they prove
 * nothing. So does a file that could not even be run.
 *
 * @param {JestReport} report
 * @param {{ readonly partial: boolean, readonly root: string }} options `partial`: only some tests were asked for.
 * @returns {Outcome}
 */
export const tallyJest = (report, { partial, root }) => {
  let passed = 0;
  const problems = [];
  for (const { name, status, assertionResults } of report.testResults) {
    const file = name.replace(`${root}/`, '');
    for (const test of assertionResults) {
      if (test.status === 'passed') passed += 1;
      else if (test.status === 'failed') problems.push(`${file} › ${test.fullName}`);
      else if (!partial) problems.push(`${file} › ${test.fullName} (${test.status}, never run)`);
    }
    const hasFailed = assertionResults.some((test) => test.status === 'failed');
    if (status === 'failed' && !hasFailed) problems.push(`${file} could not be run`);
  }
  return { passed, failed: problems.length, problems };
};

/**
 * Adds to an outcome what went wrong around it.
 *
 * @param {Outcome} outcome
 * @param {readonly string[]} problems
 * @returns {Outcome}
 */
export const withProblems = (outcome, problems) => ({
  passed: outcome.passed,
  failed: outcome.failed + problems.length,
  problems: [...outcome.problems, ...problems],
});

/**
 * The last line of a run, in the form that scripts read.
 *
 * @param {readonly Outcome[]} outcomes
 */
export const lastLine = (outcomes) => {
  const sum = (/** @type {'passed' | 'failed'} */ key) =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed`;
};
