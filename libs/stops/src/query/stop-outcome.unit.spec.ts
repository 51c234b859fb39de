import { describe, expect, it } from '@jest/globals';
import type { RunStopEvidence } from '#runs/contract';
import { stopOutcome } from './stop-outcome.js';

const run = (over: Partial<RunStopEvidence>): RunStopEvidence => ({
  status: 'stopping',
  stopId: 'mine',
  settledBy: null,
  stopped: null,
  ...over,
});
const stopped = { proof: 'process-group-gone', remains: [], at: 1 };
const partly = { proof: 'none', remains: ['4711'], at: 1 };

describe('a stop', () => {
  it.each([
    [
      'has no target yet',
      undefined,
      { outcome: 'pending', proof: null, remains: [], runStatus: null },
    ],
    [
      'is on its way',
      run({}),
      { outcome: 'pending', proof: null, remains: [], runStatus: 'stopping' },
    ],
    [
      'is not on its target yet',
      run({ status: 'running', stopId: null }),
      { outcome: 'pending', proof: null, remains: [], runStatus: 'running' },
    ],
    [
      'is proven',
      run({ status: 'stopped', stopped, settledBy: 'node' }),
      { outcome: 'proven', proof: 'process-group-gone', remains: [], runStatus: 'stopped' },
    ],
    [
      'is not proven of all that it had started',
      run({ status: 'stopped', stopped: partly, settledBy: 'node' }),
      { outcome: 'unknown', proof: 'none', remains: ['4711'], runStatus: 'stopped' },
    ],
    [
      'is proven by another stop',
      run({ status: 'stopped', stopped, stopId: 'other' }),
      { outcome: 'proven', proof: 'process-group-gone', remains: [], runStatus: 'stopped' },
    ],
    [
      'can not be known',
      run({ status: 'unknown' }),
      { outcome: 'unknown', proof: null, remains: [], runStatus: 'unknown' },
    ],
    [
      'was never known, and an operator counted it',
      run({ status: 'abandoned', settledBy: 'operator' }),
      { outcome: 'unknown', proof: null, remains: [], runStatus: 'abandoned' },
    ],
    [
      'came too late',
      run({ status: 'completed', stopId: null, settledBy: 'node' }),
      { outcome: 'too-late', proof: null, remains: [], runStatus: 'completed' },
    ],
  ] as const)('%s', (_what, evidence, outcome) => {
    expect(stopOutcome('mine', evidence)).toStrictEqual(outcome);
  });
});
