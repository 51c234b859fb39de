import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { AttemptEnd, Receipts } from '#runs/contract';
import { REPORT_BOUNDS, type RunReport } from '../work.wire.js';
import { validateReport } from './index.js';

/** Everything that one of these can say, said: a field that is added to the type has to be added here. */
type Whole<Union extends object, Name extends keyof Union> = {
  readonly [Value in Union[Name] & string]: Required<Extract<Union, Readonly<Record<Name, Value>>>>;
};

const receipts: Required<Receipts> = {
  sent: 1,
  acked: 2,
  observed: 3,
  thread: 't'.repeat(REPORT_BOUNDS.referenceBytesMax),
  turn: 'turn-1',
};
const sentence = 'w'.repeat(REPORT_BOUNDS.sentenceBytesMax);
const remains = Array.from({ length: REPORT_BOUNDS.remainsMax }, (_, index) => String(index + 1));

const ENDS: Whole<AttemptEnd, 'how'> = {
  completed: { how: 'completed', exitCode: 255 },
  failed: { how: 'failed', code: 'AGENT_EXITED', exitCode: 1 },
  interrupted: { how: 'interrupted', reason: sentence },
  lost: { how: 'lost', reason: sentence, remains },
  killed: { how: 'killed', by: 'time-limit', remains },
};

const base = {
  runId: '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b',
  generation: 1,
  journalId: 'j1',
  incarnation: 'i1',
  journalSequence: 4,
};
const output = { bytes: 3, sha256: 'a'.repeat(64), truncated: false };
const REPORTS: Whole<RunReport, 'kind'> = {
  'not-started': { ...base, kind: 'not-started', disproves: 'i0', proof: sentence },
  receipts: { ...base, kind: 'receipts', receipts },
  running: { ...base, kind: 'running', evidence: sentence },
  ended: { ...base, kind: 'ended', end: ENDS.completed, output, receipts },
};

/** A report that the edge refuses says nothing at all: its run would look as if it ran on. */
describe('a report that says all that its kind can', () => {
  const taken = (report: RunReport): unknown => {
    const validated = validateReport(report);
    return validated.ok ? JSON.parse(JSON.stringify(validated.value)) : validated.problems;
  };

  it.each(Object.values(REPORTS))('is taken as it was sent: $kind', (report) => {
    expect(taken(report)).toEqual(report);
  });

  it.each(Object.values(ENDS))('is taken as it was sent: ended, $how', (end) => {
    const report: RunReport = { ...REPORTS.ended, end };
    expect(taken(report)).toEqual(report);
  });

  it('is refused with more than its bounds (negative control)', () => {
    const end = { ...ENDS.lost, remains: [...remains, '9999'] };
    expect(taken({ ...REPORTS.ended, end })).toEqual([
      expect.objectContaining({ path: 'end.remains', rule: 'arrayMaxSize' }),
    ]);
  });
});
