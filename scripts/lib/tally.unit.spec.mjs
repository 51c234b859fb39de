import { describe, expect, it } from '@jest/globals';
import { PASSED, failed, lastLine, tallyJest, withProblems } from './tally.mjs';

const root = '/checkout';
/** @param {string} status @param {readonly string[]} tests */
const file = (status, ...tests) => ({
  name: '/checkout/libs/a.unit.spec.ts',
  message: '',
  status,
  assertionResults: tests.map((each, index) => ({ fullName: `test ${index}`, status: each })),
});

describe('the tally of a jest run', () => {
  it('counts what passed and names what failed', () => {
    const report = { testResults: [file('failed', 'passed', 'failed', 'passed')] };
    expect(tallyJest(report, { partial: false, root })).toEqual({
      passed: 2,
      failed: 1,
      problems: ['libs/a.unit.spec.ts › test 1'],
    });
  });

  it('counts a file that could not be run as one failure', () => {
    expect(tallyJest({ testResults: [file('failed')] }, { partial: false, root })).toEqual({
      passed: 0,
      failed: 1,
      problems: ['libs/a.unit.spec.ts could not be run'],
    });
  });

  it('counts a file whose teardown failed after its tests had passed', () => {
    expect(
      tallyJest({ testResults: [file('failed', 'passed')] }, { partial: false, root }),
    ).toEqual({ passed: 1, failed: 1, problems: ['libs/a.unit.spec.ts could not be run'] });
  });

  it.each(['pending', 'todo', 'skipped', 'disabled'])(
    'counts a test that is %s as failed',
    (status) => {
      expect(
        tallyJest({ testResults: [file('passed', status)] }, { partial: false, root }),
      ).toEqual({
        passed: 0,
        failed: 1,
        problems: [`libs/a.unit.spec.ts › test 0 (${status}, never run)`],
      });
    },
  );

  it('leaves out what a filter left out', () => {
    const report = { testResults: [file('passed', 'passed', 'pending')] };
    expect(tallyJest(report, { partial: true, root })).toEqual({
      passed: 1,
      failed: 0,
      problems: [],
    });
  });
});

describe('the last line', () => {
  it('adds tests and phases up', () => {
    const unit = withProblems({ passed: 40, failed: 1, problems: ['a'] }, ['left running: 17']);
    expect(lastLine([PASSED, failed('lint'), unit])).toBe('41 passed, 3 failed');
  });
});
