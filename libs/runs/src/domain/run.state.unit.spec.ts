import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RuleViolation, fold } from '#kernel';
import { SETTLED_RUN_STATUSES, isSettled } from '../contract/index.js';
import type { RunCommand } from './run.commands.js';
import { decideRun } from './run.decider.js';
import type { RunEvent } from './run.events.js';
import {
  ABANDONED,
  BAD,
  COMPLETED,
  DISPATCHED,
  INTERRUPTED,
  LOST,
  OK,
  QUEUED,
  RUNNING,
  STOPPED,
  STOPPING,
  UNKNOWN,
  UNKNOWN_FENCED,
  attemptEnded,
  claim,
  claimed,
  completed,
  dispatch,
  dispatched,
  ended,
  fenced,
  incarnation,
  journalId,
  killedBy,
  notStarted,
  now,
  otherIncarnation,
  otherJournal,
  receipts,
  recordUnknown,
  requestStop,
  resolve,
  resolved,
  resumable,
  revoke,
  revoked,
  runAfter,
  runId,
  running,
  stopRequested,
  stopped,
  submit,
  submitted,
  submittedResumable,
  unknown,
} from './run.fixture.js';
import { evolveRun, initialRun, isOver, isUnclaimed, type RunState } from './run.state.js';

const at = now;
const notStartedTo = (to: 'queued' | 'failed' | 'stopped'): RunEvent => ({
  type: 'RunNotStarted',
  data: { runId, at, generation: 1, incarnation, proof: 'closed', to },
});
const observedTo = (to: 'running' | 'stopping'): RunEvent => ({
  type: 'RunObservedRunning',
  data: { runId, at, generation: 1, incarnation, evidence: 'alive', to },
});
const failed: RunEvent = {
  type: 'RunFailed',
  data: { ...completed.data, code: 'AGENT_EXITED', exitCode: 3 },
};
const stranded: RunEvent = { type: 'RunStranded', data: { runId, at, windowMs: 60_000 } };
const extended: RunEvent = {
  type: 'RunStartWindowExtended',
  data: { runId, at, generation: 1, startBefore: 21_000, askAt: 31_000 },
};
const recorded: RunEvent = {
  type: 'RunReceiptsRecorded',
  data: { runId, at, generation: 1, receipts: { sent: 900 } },
};
const late: RunEvent = {
  type: 'LateEvidenceRecorded',
  data: { runId, at, generation: 1, evidence: 'completed', showsStart: false },
};

/** Histories by where they end. */
const FROM = {
  nothing: [],
  queued: QUEUED,
  dispatched: DISPATCHED,
  running: RUNNING,
  stopping: STOPPING,
  unknown: UNKNOWN,
  'unknown and fenced': UNKNOWN_FENCED,
  abandoned: ABANDONED,
  completed: COMPLETED,
} as const;

describe('the table of transitions', () => {
  it.each([
    ['RunSubmitted', 'nothing', 'queued', submitted],
    ['RunDispatched', 'queued', 'dispatched', dispatched()],
    ['RunStartWindowExtended', 'dispatched', 'dispatched', extended],
    ['RunDispatchRevoked', 'dispatched', 'queued', revoked()],
    ['RunClaimed', 'dispatched', 'running', claimed()],
    ['RunNotStarted', 'running', 'queued', notStartedTo('queued')],
    ['RunNotStarted', 'unknown', 'failed', notStartedTo('failed')],
    ['RunNotStarted', 'stopping', 'stopped', notStartedTo('stopped')],
    ['RunReceiptsRecorded', 'running', 'running', recorded],
    ['RunReceiptsRecorded', 'stopping', 'stopping', recorded],
    ['RunReceiptsRecorded', 'unknown', 'unknown', recorded],
    ['RunAttemptEnded', 'running', 'queued', attemptEnded()],
    ['RunAttemptEnded', 'unknown', 'queued', attemptEnded()],
    ['RunCompleted', 'running', 'completed', completed],
    ['RunCompleted', 'unknown', 'completed', completed],
    ['RunFailed', 'running', 'failed', failed],
    ['RunFailed', 'unknown and fenced', 'failed', failed],
    ['RunStranded', 'queued', 'failed', stranded],
    ['RunOutcomeUnknown', 'running', 'unknown', unknown()],
    ['RunOutcomeUnknown', 'stopping', 'unknown', unknown()],
    ['RunOutcomeUnknown', 'dispatched', 'unknown', unknown()],
    ['RunFenced', 'unknown', 'unknown', fenced],
    ['RunObservedRunning', 'unknown', 'running', observedTo('running')],
    ['RunObservedRunning', 'unknown', 'stopping', observedTo('stopping')],
    ['RunStopRequested', 'running', 'stopping', stopRequested],
    ['RunStopRequested', 'unknown', 'stopping', stopRequested],
    ['RunStopRequested', 'dispatched', 'stopping', stopRequested],
    ['RunStopRequested', 'queued', 'queued', stopRequested],
    ['RunStopped', 'stopping', 'stopped', stopped()],
    ['RunStopped', 'unknown', 'stopped', stopped()],
    ['RunResolved', 'unknown', 'completed', resolved('completed')],
    ['RunResolved', 'unknown', 'failed', resolved('failed')],
    ['RunResolved', 'unknown', 'abandoned', resolved('abandoned')],
    ['LateEvidenceRecorded', 'abandoned', 'abandoned', late],
    ['LateEvidenceRecorded', 'completed', 'completed', late],
  ] as const)('%s leads from %s to %s', (_type, from, to, event) => {
    const before = fold<RunState, RunEvent>(evolveRun, initialRun(runId), FROM[from]);
    expect(evolveRun(before, event).status).toBe(to);
  });
});

describe('what a run remembers', () => {
  it('counts an attempt when it ended, and not when it never started', () => {
    expect(runAfter([...RUNNING, notStartedTo('queued')]).attemptsEnded).toBe(0);
    expect(runAfter([...resumable(RUNNING), attemptEnded()]).attemptsEnded).toBe(1);
    expect(runAfter([...resumable(RUNNING), attemptEnded(), attemptEnded()]).attemptsEnded).toBe(1);
  });

  it('takes the journal that was asked for the holder of a claim that a restore lost', () => {
    const { generation, claim: holder } = runAfter([...DISPATCHED, unknown({ generation: 3 })]);
    expect([generation, holder]).toStrictEqual([3, { journalId, incarnation }]);
  });

  it('keeps the claim that it knows of', () => {
    const other = { reason: 'silence', node: 'node-1', journalId: otherJournal, receipts: {} };
    expect(runAfter([...RUNNING, unknown({ evidence: other })]).claim).toStrictEqual({
      journalId,
      incarnation,
    });
  });

  it.each([
    ['queued', QUEUED, 1, true],
    ['queued, from before a restore', QUEUED, 2, false],
    ['dispatched', DISPATCHED, 1, true],
    ['dispatched, from before a restore', DISPATCHED, 2, false],
    ['running', RUNNING, 1, false],
    ['unknown', UNKNOWN, 1, false],
    ['stopped', STOPPED, 1, false],
  ])('is unclaimed by certainty, or not: %s', (_what, history, epoch, unclaimed) => {
    expect(isUnclaimed(runAfter(history), epoch)).toBe(unclaimed);
  });

  it.each([
    ['queued', QUEUED, false],
    ['running', RUNNING, false],
    ['stopping', STOPPING, false],
    ['unknown', UNKNOWN, false],
    ['unknown and fenced', UNKNOWN_FENCED, true],
    ['unknown and fenced, and then told to stop', [...UNKNOWN_FENCED, stopRequested], false],
    ['completed', COMPLETED, true],
    ['stopped', STOPPED, true],
  ])('gives its place in a session away, or not: %s', (_what, history, over) => {
    expect(isOver(runAfter(history))).toBe(over);
  });

  it('is over only when it exists', () => {
    expect(isOver(initialRun(runId))).toBe(false);
  });
});

// The same histories in every run; `FC_SEED` tries others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_129) });

const generations = fc.integer({ min: 0, max: 3 });
const speakers = fc.record({
  generation: generations,
  journalId: fc.constantFrom(journalId, otherJournal),
  incarnation: fc.constantFrom(incarnation, otherIncarnation),
});
const epochs = fc.constantFrom(1, 1, 1, 2);
const ends = fc.constantFrom(
  OK,
  BAD,
  INTERRUPTED,
  LOST,
  killedBy('stop'),
  killedBy('time-limit'),
  killedBy('shutdown', ['4711']),
  { how: 'lost', reason: 'gone', remains: ['4711'] } as const,
);
const commands: fc.Arbitrary<RunCommand> = fc.oneof(
  fc.constant(submit),
  fc
    .tuple(generations, epochs, fc.boolean(), fc.constantFrom(journalId, otherJournal))
    .map(([generation, epoch, journalsAnswered, to]) =>
      dispatch(generation, { epoch, journalsAnswered, journalId: to }),
    ),
  fc
    .tuple(generations, epochs, fc.boolean())
    .map(([generation, epoch, closedByJournal]) => revoke({ generation, epoch, closedByJournal })),
  fc.tuple(speakers, epochs).map(([who, epoch]) => claim({ ...who, epoch })),
  fc
    .tuple(speakers, epochs)
    .map(([who, epoch]) => notStarted({ ...who, epoch, disproves: who.incarnation })),
  fc
    .tuple(speakers, fc.constantFrom({ sent: 900 }, { acked: 950, thread: 't' }, {}))
    .map(([who, some]) => receipts(some, who)),
  speakers.map((who) => running(who)),
  fc.tuple(speakers, ends, epochs).map(([who, end, epoch]) => ended(end, { ...who, epoch })),
  fc.tuple(generations, epochs).map(([generation, epoch]) => recordUnknown({ generation, epoch })),
  fc
    .tuple(epochs, fc.constantFrom('stop-1', 'stop-2'))
    .map(([epoch, id]) => requestStop(epoch, id)),
  fc.constantFrom('completed', 'failed', 'abandoned').map((as) => resolve(as)),
);
/** Reports, stops and submissions: whoever sends them may not know that they were heard. */
const REPEATABLE: ReadonlySet<RunCommand['type']> = new Set([
  'SubmitRun',
  'ReportNotStarted',
  'ReportReceipts',
  'ReportEnd',
  'ReportRunning',
  'RecordOutcomeUnknown',
  'RequestRunStop',
]);

const tried = (command: RunCommand, run: RunState): readonly RunEvent[] => {
  try {
    return decideRun(command, run);
  } catch (error) {
    if (error instanceof RuleViolation) return [];
    throw error;
  }
};

describe('whatever is asked of a run, in whatever order', () => {
  const walk = (
    script: readonly RunCommand[],
    first: RunEvent,
    look: (
      before: RunState,
      command: RunCommand,
      events: readonly RunEvent[],
      after: RunState,
    ) => void,
  ): void => {
    let run = fold<RunState, RunEvent>(evolveRun, initialRun(runId), [first]);
    for (const command of script) {
      const events = tried(command, run);
      const after = fold(evolveRun, run, events);
      look(run, command, events, after);
      run = after;
    }
  };
  const scripts = fc.array(commands, { maxLength: 40 });
  const firsts = fc.constantFrom(submitted, submittedResumable);
  const forAll = (look: Parameters<typeof walk>[2]): void => {
    fc.assert(
      fc.property(scripts, firsts, (script, first) => {
        walk(script, first, look);
      }),
      { numRuns: 400 },
    );
  };

  it('what was said is not said again when it is heard again', () => {
    forAll((_before, command, _events, after) => {
      if (REPEATABLE.has(command.type)) expect(tried(command, after)).toStrictEqual([]);
    });
  });

  it('what is settled stays as it is', () => {
    forAll((before, _command, events, after) => {
      if (!isSettled(before.status)) return;
      expect(after.status).toBe(before.status);
      expect(events.every(({ type }) => type === 'LateEvidenceRecorded')).toBe(true);
    });
  });

  it('an accepted stop wins: it is never completed and never dispatched after it', () => {
    forAll((before, _command, _events, after) => {
      if (before.status === 'none' || before.stop === null || isSettled(before.status)) return;
      expect(['completed', 'dispatched']).not.toContain(after.status);
      expect(after.status !== 'none' && after.stop).toStrictEqual(before.stop);
    });
  });

  it('a claimed run leads to no new prompt: what follows a started attempt is a resume', () => {
    forAll((before, _command, events) => {
      for (const event of events)
        if (event.type === 'RunDispatched' && before.status !== 'none')
          expect(event.data.kind).toBe(before.attemptsEnded > 0 ? 'resume' : 'initial');
    });
  });

  it('what is recorded is plain JSON', () => {
    forAll((_before, _command, events) => {
      expect(JSON.parse(JSON.stringify(events))).toStrictEqual(events);
    });
  });

  it('any order of events can be folded: what is recorded is a fact', () => {
    const all: readonly RunEvent[] = [
      submitted,
      submittedResumable,
      dispatched(),
      dispatched(2, { kind: 'resume', epoch: 2 }),
      extended,
      revoked(),
      claimed(),
      claimed(2, otherIncarnation),
      notStartedTo('queued'),
      notStartedTo('failed'),
      notStartedTo('stopped'),
      recorded,
      attemptEnded(),
      attemptEnded(2),
      completed,
      failed,
      stranded,
      unknown(),
      unknown({ fenced: true, generation: 2 }),
      fenced,
      observedTo('running'),
      observedTo('stopping'),
      stopRequested,
      stopped(),
      resolved('abandoned'),
      late,
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { maxLength: 30 }), (events) => {
        const run = fold<RunState, RunEvent>(evolveRun, initialRun(runId), events);
        const exists = events.some(({ type }) => type === 'RunSubmitted');
        expect(run.status === 'none').toBe(!exists);
      }),
    );
  });

  it('every settled status is one that nothing leads out of', () => {
    const endings = [COMPLETED, [...RUNNING, failed], STOPPED, ABANDONED];
    expect(endings.map((history) => runAfter(history).status)).toStrictEqual([
      ...SETTLED_RUN_STATUSES,
    ]);
  });
});
