import { describe, expect, it } from '@jest/globals';
import type { TimelineEntryView } from '#contracts';
import { decisionIn } from './timeline.js';

const entry = (type: string, data: TimelineEntryView['data'] = {}): TimelineEntryView => ({
  sequence: 1,
  at: '2026-11-29T12:00:00.000Z',
  type,
  actor: 'user:ada',
  command: 'c',
  data,
});

describe('the decision on a run', () => {
  it('is found with who made it, and why', () =>
    expect(
      decisionIn([
        entry('RunOutcomeUnknown'),
        entry('RunResolved', { as: 'completed', note: 'the commit is there' }),
        entry('LateEvidenceRecorded'),
      ]),
    ).toEqual({ actor: 'user:ada', note: 'the commit is there' }));

  it('is not found where nobody decided', () =>
    expect(decisionIn([entry('RunSubmitted'), entry('RunStopped')])).toBeUndefined());
});
