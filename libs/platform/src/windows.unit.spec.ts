import { describe, expect, it } from '@jest/globals';
import { DEFAULT_WINDOWS, InvalidWindows, WINDOW_BOUNDS, parseWindows } from './windows.js';

const problemsOf = (overrides: string): readonly string[] => {
  try {
    parseWindows(overrides);
  } catch (error) {
    if (error instanceof InvalidWindows) return error.problems;
    throw error;
  }
  return [];
};

describe('the windows of time', () => {
  it('are the defaults unless something else is said', () => {
    expect(parseWindows()).toBe(DEFAULT_WINDOWS);
    expect(parseWindows('  ')).toBe(DEFAULT_WINDOWS);
  });

  it('show a death as unknown within 11 s by default', () => {
    const { leaseMs, sweepMs, askAttempts, askTimeoutMs } = DEFAULT_WINDOWS;
    expect(leaseMs + sweepMs + askAttempts * askTimeoutMs + sweepMs).toBe(11_000);
  });

  it('keep what was not overridden', () => {
    const windows = parseWindows('{"leaseMs":600,"renewalMs":200}');
    expect(windows).toStrictEqual({ ...DEFAULT_WINDOWS, leaseMs: 600, renewalMs: 200 });
  });

  it('can all be set to their bounds where these do not contradict each other', () => {
    for (const [name, [lowest]] of Object.entries(WINDOW_BOUNDS)) {
      const consistent = { renewalMs: 50, workingMs: 50, [name]: lowest };
      expect(problemsOf(JSON.stringify(consistent))).toStrictEqual([]);
    }
  });

  it('report every problem at once', () => {
    expect(problemsOf('{"leaseMs":"6s","renewalMs":0,"sweepMs":1.5,"typoMs":1}')).toStrictEqual([
      'leaseMs is not a whole number',
      'renewalMs is 0, allowed are 50 to 20000',
      'sweepMs is not a whole number',
      'typoMs is not a window',
    ]);
  });

  it('must leave room for what may get lost', () => {
    expect(
      problemsOf('{"leaseMs":600,"renewalMs":201,"ackWaitMs":500,"workingMs":300}'),
    ).toStrictEqual([
      'three renewals (renewalMs) must fit into a lease (leaseMs)',
      'two signs of life (workingMs) must fit into ackWaitMs',
    ]);
  });

  it.each(['{', '[]', 'null', '7', '"leaseMs"'])('refuse what is no JSON object: %s', (text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });
});
