import { describe, expect, it } from '@jest/globals';
import type { TimelineEntryView } from '../../../libs/contracts/src/views.js';
import type { RunEvent } from '#runs/domain';
import { projectRun } from '#runs/projection';
import { phasesOf } from './phases.js';

const at = (ms: number): string => new Date(ms).toISOString();
const entry = (type: string, ms: number, data: object = {}): TimelineEntryView => ({
  sequence: ms,
  at: at(ms),
  type,
  actor: 'node:local',
  command: 'Any',
  data: data as TimelineEntryView['data'],
});

describe('what a run went through', () => {
  const begun = [
    entry('RunSubmitted', 1_000),
    entry('RunDispatched', 1_200),
    entry('RunClaimed', 1_500),
    entry('RunReceiptsRecorded', 1_600),
  ];

  it('is told from its events, and where it stands lasts', () =>
    expect(phasesOf(begun)).toEqual([
      { status: 'queued', from: 1_000, to: 1_200 },
      { status: 'dispatched', from: 1_200, to: 1_500 },
      { status: 'running', from: 1_500, to: null },
    ]));

  it('ends with its settlement; what comes later changes nothing', () =>
    expect(
      phasesOf([
        ...begun,
        entry('RunCompleted', 5_000),
        entry('LateEvidenceRecorded', 6_000),
      ]).slice(2),
    ).toEqual([
      { status: 'running', from: 1_500, to: 5_000 },
      { status: 'completed', from: 5_000, to: null },
    ]));

  it('shows doubt, and its end by an operator', () =>
    expect(
      phasesOf([
        ...begun,
        entry('RunOutcomeUnknown', 2_000),
        entry('RunFenced', 2_500),
        entry('RunResolved', 9_000, { as: 'abandoned' }),
      ]).slice(3),
    ).toEqual([
      { status: 'unknown', from: 2_000, to: 9_000 },
      { status: 'abandoned', from: 9_000, to: null },
    ]));

  it('goes through every attempt of a run that is resumed', () =>
    expect(
      phasesOf([
        ...begun,
        entry('RunAttemptEnded', 2_000),
        entry('RunDispatched', 2_100),
        entry('RunNotStarted', 2_200, { to: 'queued' }),
        entry('RunDispatched', 2_300),
        entry('RunClaimed', 2_400),
      ]).map(({ status }) => status),
    ).toEqual([
      'queued',
      'dispatched',
      'running',
      'queued',
      'dispatched',
      'queued',
      'dispatched',
      'running',
    ]));

  it('lets nothing end before it began, whatever the clocks of the machines say', () =>
    expect(phasesOf([entry('RunSubmitted', 1_000), entry('RunDispatched', 900)])).toEqual([
      { status: 'queued', from: 1_000, to: 1_000 },
      { status: 'dispatched', from: 900, to: null },
    ]));

  it('is nothing without events', () => expect(phasesOf([])).toEqual([]));
});

describe('the status after an event', () => {
  /** What an event says that bears on the status. A new event does not compile until it is here. */
  const SAYS: Readonly<Record<RunEvent['type'], object>> = {
    RunSubmitted: { runClass: { attempts: 'single' } },
    RunDispatched: {},
    RunStartWindowExtended: {},
    RunDispatchRevoked: {},
    RunClaimed: {},
    RunNotStarted: { to: 'failed' },
    RunReceiptsRecorded: { receipts: {} },
    RunAttemptEnded: { receipts: {} },
    RunCompleted: { receipts: {} },
    RunFailed: { receipts: {} },
    RunStranded: {},
    RunOutcomeUnknown: { evidence: {} },
    RunFenced: {},
    RunObservedRunning: { to: 'stopping' },
    RunStopRequested: {},
    RunStopped: {},
    RunResolved: { as: 'abandoned' },
    LateEvidenceRecorded: {},
  };
  const types = Object.keys(SAYS) as RunEvent['type'][];
  const statusByServer = (sequence: readonly RunEvent['type'][]): string | undefined => {
    const place = { workspace: 'main', sequence: 1 } as Parameters<typeof projectRun>[2];
    let row: ReturnType<typeof projectRun>;
    for (const type of sequence)
      row = projectRun(row, { type, data: { at: 1, ...SAYS[type] } } as unknown as RunEvent, place);
    return row?.status;
  };

  it.each(types)('%s is the one that the server gives', (type) => {
    const sequence = ['RunSubmitted', 'RunClaimed', type] as const;
    const phases = phasesOf(sequence.map((each, index) => entry(each, index, SAYS[each])));
    expect(phases.at(-1)?.status).toBe(statusByServer(sequence));
  });
});
