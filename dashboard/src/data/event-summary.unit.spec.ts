import { describe, expect, it } from '@jest/globals';
import { summaryOf } from './event-summary.js';

describe('the summary of an event, as one line,', () => {
  const ids = { runId: 'r', journalId: 'j', incarnation: 'i', epoch: 1, at: 1_795_983_684_099 };

  it.each([
    [
      'a dispatch',
      { generation: 1, kind: 'initial', node: 'n1' },
      'generation 1 · kind initial · node n1',
    ],
    [
      'a doubt',
      {
        generation: 1,
        code: 'RUN_OUTCOME_UNKNOWN',
        evidence: { reason: 'silence', node: 'n1' },
        fenced: false,
      },
      'code RUN_OUTCOME_UNKNOWN · evidence silence · generation 1 · fenced no',
    ],
    [
      'a completion',
      {
        generation: 2,
        exitCode: 0,
        output: { bytes: 1_536, sha256: 'x' },
        receipts: {},
        settledBy: 'node',
      },
      'exitCode 0 · output 1.5 KiB · generation 2 · settledBy node',
    ],
    [
      'a stop',
      { stopId: 's', proof: 'process-group-gone', remains: [], lateOutcome: null },
      'proof process-group-gone',
    ],
    [
      'receipts',
      { generation: 1, receipts: { sent: 1, acked: 2 } },
      'generation 1 · receipts sent, acked',
    ],
    ['what says nothing to people', { reason: '', code: null }, 'details'],
  ])('tells what matters of %s, and no ids', (_, data, summary) =>
    expect(summaryOf({ ...ids, ...data })).toBe(summary),
  );

  it('ends where a line does', () => {
    const summary = summaryOf({ reason: 'x'.repeat(1_000) });
    expect(summary).toHaveLength(121);
    expect(summary.endsWith('x…')).toBe(true);
  });
});
