import { describe, expect, it } from '@jest/globals';
import { agentStopOutcome } from './agent-stop-outcome.js';

const base = { remains: [], runStatus: null };
const proof = 'ended with signal SIGTERM';

describe('the stop of an agent', () => {
  it.each([
    ['has no target yet', undefined, { outcome: 'pending', proof: null }],
    ['is on its way', { stopId: 'stop-1', ended: null }, { outcome: 'pending', proof: null }],
    [
      'is proven by the end of the agent',
      { stopId: 'stop-1', ended: { proof, at: 1_000 } },
      { outcome: 'proven', proof },
    ],
    [
      'came when the agent had ended',
      { stopId: null, ended: { proof, at: 999 } },
      { outcome: 'too-late', proof: null },
    ],
  ] as const)('%s', (_what, evidence, outcome) => {
    expect(agentStopOutcome(1_000, evidence)).toStrictEqual({ ...outcome, ...base });
  });
});
