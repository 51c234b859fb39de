import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { TURN_MAY_GO_ON } from '../contract/index.js';
import { RUN } from './run.decider.js';
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
  UNKNOWN_STOPPED,
  attemptEnded,
  claimed,
  completed,
  dispatched,
  ended,
  evidence,
  fenced,
  incarnation,
  killedBy,
  notStarted,
  now,
  otherIncarnation,
  otherJournal,
  output,
  receipts,
  outliving,
  resumable,
  revoked,
  runId,
  running,
  stopId,
  stopRequested,
  stopped,
  unknown,
} from './run.fixture.js';

const given = deciderSpec(RUN, runId);
const at = now;

const neverStarted = (to: 'queued' | 'failed' | 'stopped', code?: string): RunEvent => ({
  type: 'RunNotStarted',
  data: {
    runId,
    at,
    generation: 1,
    incarnation,
    proof: 'closed',
    to,
    ...(code === undefined ? {} : { code }),
  },
});
const failed = (code: string, settledBy: 'node' | 'proof' = 'node'): RunEvent => ({
  type: 'RunFailed',
  data: { runId, at, generation: 1, output, receipts: {}, settledBy, code, exitCode: null },
});
const late = (text: string, showsStart: boolean, generation = 1): RunEvent => ({
  type: 'LateEvidenceRecorded',
  data: { runId, at, generation, evidence: text, showsStart },
});
/** By its node, after the fact: not the saga's guess. */
const seenLost = (reason: string, isFenced = true): RunEvent => ({
  type: 'RunOutcomeUnknown',
  data: {
    runId,
    at,
    generation: 1,
    evidence: { ...evidence, reason, lastHeardAt: now },
    fenced: isFenced,
    code: 'TURN_OUTCOME_UNKNOWN',
    witness: 'node',
  },
});

describe('the report that a generation was never started', () => {
  it('queues a running run again', () =>
    given(RUNNING)
      .when(notStarted())
      .then([neverStarted('queued')]));

  it('settles an unknown run, whose session may have moved on', () =>
    given(UNKNOWN)
      .when(notStarted())
      .then([neverStarted('failed', 'RUN_NEVER_STARTED')]));

  it('does not say never where an earlier attempt was made', () =>
    given([
      ...resumable(RUNNING),
      attemptEnded(),
      dispatched(2, { kind: 'resume' }),
      claimed(2),
      unknown({ generation: 2 }),
    ])
      .when(notStarted({ generation: 2 }))
      .then([
        {
          type: 'RunNotStarted',
          data: {
            runId,
            at,
            generation: 2,
            incarnation,
            proof: 'closed',
            to: 'failed',
            code: 'RUN_RESUME_NOT_STARTED',
          },
        },
      ]));

  it.each([
    ['stopping', STOPPING],
    ['unknown, with a stop recorded', UNKNOWN_STOPPED],
  ])('stops a run that is %s', (_status, history) =>
    given(history)
      .when(notStarted())
      .then([neverStarted('stopped'), stopped({ proof: 'closed', settledBy: 'node' })]),
  );

  it.each([
    ['another incarnation holds the claim', RUNNING, { disproves: otherIncarnation }],
    ['another journal speaks', RUNNING, { journalId: otherJournal }],
    ['nobody claimed it', DISPATCHED, {}],
    ['it was taken back', [...DISPATCHED, revoked()], {}],
    ['a newer generation was dispatched', [...DISPATCHED, revoked(), dispatched(2)], {}],
    ['the run is settled', STOPPED, {}],
  ])('is no news when %s', (_why, history, more) => given(history).when(notStarted(more)).then([]));

  it('is believed from any incarnation when a restore lost the claim', () =>
    given([
      ...DISPATCHED,
      unknown({
        evidence: {
          reason: 'silence',
          node: evidence.node,
          journalId: evidence.journalId,
          receipts: {},
        },
      }),
    ])
      .when(notStarted())
      .then([neverStarted('failed', 'RUN_NEVER_STARTED')]));

  it.each([
    ['running', RUNNING],
    ['unknown', UNKNOWN],
    ['stopping', STOPPING],
  ])(
    'proves nothing about a %s run whose later generations a restore may have lost',
    (_s, history) =>
      given(history)
        .when(notStarted({ epoch: 2 }))
        .then([neverStarted('queued')]),
  );
});

describe('receipts', () => {
  const recorded = (data: object): RunEvent => ({
    type: 'RunReceiptsRecorded',
    data: { runId, at, generation: 1, receipts: data },
  });

  it('are recorded', () =>
    given(RUNNING)
      .when(receipts({ sent: 900, thread: 't' }))
      .then([recorded({ sent: 900, thread: 't' })]));

  it('that are known already are no news', () =>
    given([...RUNNING, recorded({ sent: 900 })])
      .when(receipts({ sent: 900 }))
      .then([]));

  it('are recorded as far as they are new', () =>
    given([...RUNNING, recorded({ sent: 900 })])
      .when(receipts({ sent: 900, acked: 950 }))
      .then([recorded({ acked: 950 })]));

  it('travel with the outcome, as far as they are new', () =>
    given([...RUNNING, recorded({ sent: 900 })])
      .when(ended(OK, { receipts: { sent: 900, acked: 950 } }))
      .then([{ ...completed, data: { ...completed.data, receipts: { acked: 950 } } }]));

  it('of a run that was abandoned are late evidence', () =>
    given(ABANDONED)
      .when(receipts({ sent: 900 }))
      .then([late('receipts', false)]));
});

describe('a sign of life', () => {
  const observed = (to: 'running' | 'stopping'): RunEvent => ({
    type: 'RunObservedRunning',
    data: { runId, at, generation: 1, incarnation, evidence: 'alive', to },
  });

  it('brings an unknown run back', () =>
    given(UNKNOWN)
      .when(running())
      .then([observed('running')]));

  it('brings it back to its stop, if one is recorded', () =>
    given(UNKNOWN_STOPPED)
      .when(running())
      .then([observed('stopping')]));

  it.each([
    ['running', RUNNING],
    ['stopping', STOPPING],
    ['dispatched', DISPATCHED],
    ['completed', COMPLETED],
  ])('of a %s run is no news', (_status, history) => given(history).when(running()).then([]));

  it('after the fence is late evidence, and excludes nothing that was certain', () =>
    given(UNKNOWN_FENCED)
      .when(running())
      .then([late('observed running', false)]));

  it('after the fence is recorded once', () =>
    given([...UNKNOWN_FENCED, late('observed running', false)])
      .when(running())
      .then([]));
});

describe('an outcome', () => {
  it('settles a running run', () => given(RUNNING).when(ended(OK)).then([completed]));

  it('of the failing kind settles it as failed, with its code and exit', () =>
    given(RUNNING)
      .when(ended(BAD))
      .then([
        {
          type: 'RunFailed',
          data: {
            runId,
            at,
            generation: 1,
            output,
            receipts: {},
            settledBy: 'node',
            code: 'AGENT_EXITED',
            exitCode: 3,
          },
        },
      ]));

  it.each([
    ['unknown', UNKNOWN],
    ['unknown and fenced', UNKNOWN_FENCED],
  ])('is proof that settles a run that is %s', (_status, history) =>
    given(history)
      .when(ended(OK))
      .then([{ ...completed, data: { ...completed.data, settledBy: 'proof' } }]),
  );

  it.each([
    ['completed', OK, 'completed', STOPPING, 'node'],
    ['failed', BAD, 'failed: AGENT_EXITED', STOPPING, 'node'],
    ['interrupted', INTERRUPTED, 'interrupted: client-died', STOPPING, 'node'],
    ['lost', LOST, 'lost: exit-not-seen', STOPPING, 'node'],
    ['completed', OK, 'completed', UNKNOWN_STOPPED, 'proof'],
  ] as const)(
    'that comes after an accepted stop is a stop, with what was seen beside it: %s',
    (_how, end, lateOutcome, history, settledBy) =>
      given(history)
        .when(ended(end))
        .then([stopped({ proof: 'ended-by-itself', lateOutcome, settledBy })]),
  );

  it('of what left something alive is no stop yet: the ladder has still to end that', () => {
    const leftovers = ended({ how: 'lost', reason: 'exit-not-seen', remains: ['4711'] });
    const found = 'exit-not-seen; still there: 4711';
    given(STOPPING)
      .when(leftovers)
      .then([seenLost(found, false)]);
    given(UNKNOWN_STOPPED)
      .when(leftovers)
      .then([late(found, false)]);
  });

  it('after a ladder for the stop is a stop, with what could not be proven gone', () =>
    given(STOPPING)
      .when(ended(killedBy('stop', ['4711'])))
      .then([stopped({ proof: 'none', remains: ['4711'], settledBy: 'node' })]));

  it('after a ladder for a stop that a restore lost is a stop all the same', () =>
    given(RUNNING)
      .when(ended(killedBy('stop')))
      .then([stopped({ stopId: null, proof: 'process-group-gone', settledBy: 'node' })]));
});

describe('what ended without an outcome', () => {
  it('is unknown and fenced, with the node as its witness', () =>
    given(RUNNING)
      .when(ended(LOST))
      .then([seenLost('exit-not-seen')]));

  it('of a runtime that can not be entered twice is not resumed', () =>
    given(RUNNING)
      .when(ended(INTERRUPTED))
      .then([seenLost('client-died')]));

  it('fences a run that was unknown already', () =>
    given(UNKNOWN)
      .when(ended(LOST))
      .then([{ type: 'RunFenced', data: { runId, at, generation: 1, proof: 'exit-not-seen' } }]));

  it('is no news once it is fenced', () => given(UNKNOWN_FENCED).when(ended(LOST)).then([]));

  it.each([
    ['time-limit', 'its time limit passed, and its agent ended it'],
    ['shutdown', 'its node-agent was shut down, and ended it'],
  ] as const)('because of a %s is unknown, and no stop of an operator', (by, reason) =>
    given(RUNNING)
      .when(ended(killedBy(by)))
      .then([seenLost(reason)]),
  );

  it('is not fenced while something of it is still there', () =>
    given(RUNNING)
      .when(ended(killedBy('time-limit', ['4711'])))
      .then([seenLost('its time limit passed, and its agent ended it; still there: 4711', false)]));

  it('stays unknown while something of it is still there, and shows what', () =>
    given(UNKNOWN)
      .when(ended(killedBy('shutdown', ['4711'])))
      .then([late('its node-agent was shut down, and ended it; still there: 4711', false)]));
});

describe('an attempt that a resumable runtime ended', () => {
  const attempt = (generation: number): RunEvent => ({
    type: 'RunAttemptEnded',
    data: { runId, at, generation, reason: 'client-died', receipts: {} },
  });

  it.each([
    ['running', RUNNING],
    ['unknown and not fenced', UNKNOWN],
  ])('queues a run that is %s for a resume', (_status, history) =>
    given(resumable(history))
      .when(ended(INTERRUPTED))
      .then([attempt(1)]),
  );

  it('does not bring back a run whose session may have moved on', () =>
    given(resumable([...UNKNOWN, fenced]))
      .when(ended(INTERRUPTED))
      .then([failed('RUN_INTERRUPTED_AFTER_FENCE', 'proof')]));

  it('with a stop recorded is a stop', () =>
    given(resumable(STOPPING))
      .when(ended(INTERRUPTED))
      .then([
        stopped({
          proof: 'ended-by-itself',
          lateOutcome: 'interrupted: client-died',
          settledBy: 'node',
        }),
      ]));

  it('before a restore does not prove a stop: the attempt after it may be forgotten', () =>
    given(resumable(STOPPING))
      .when(ended(INTERRUPTED, { epoch: 2 }))
      .then([attempt(1)]));

  it('counts once, though a restore makes its node report it again', () =>
    given([...resumable(RUNNING), ...fourAttempts(), unknown({ generation: 4 })])
      .when(ended(INTERRUPTED, { generation: 4, epoch: 2 }))
      .then([attempt(4)]));

  it('is tried four times more, and then fails: the budget is five attempts (@FM-11)', () => {
    const history = [...resumable(RUNNING), ...fourAttempts()];
    given(history)
      .when(ended(INTERRUPTED, { generation: 4 }))
      .then([]); // That one ended already.
    given([...history, dispatched(5, { kind: 'resume' }), claimed(5)])
      .when(ended(INTERRUPTED, { generation: 5 }))
      .then([
        {
          type: 'RunFailed',
          data: {
            runId,
            at,
            generation: 5,
            output,
            receipts: {},
            settledBy: 'node',
            code: 'RUN_ATTEMPTS_EXHAUSTED',
            exitCode: null,
          },
        },
      ]);
  });
});

/** Ends the attempt of a running generation 1, and of three resumes. */
const fourAttempts = (): readonly RunEvent[] => [
  attemptEnded(1),
  ...[2, 3, 4].flatMap((generation) => [
    dispatched(generation, { kind: 'resume' }),
    claimed(generation),
    attemptEnded(generation),
  ]),
];

describe('a report that comes too late (@SM-1e)', () => {
  it('of what was taken back shows a start that was held to be impossible', () =>
    given([...DISPATCHED, revoked(), dispatched(2)])
      .when(ended(OK))
      .then([late('completed', true)]));

  it('of what was stopped unclaimed shows a start that was held to be impossible', () =>
    given([...DISPATCHED, ...STOPPED.slice(1)])
      .when(ended(OK))
      .then([late('completed', true)]));

  it('of what was claimed, and proven not started, shows a start that was held to be impossible', () =>
    given([...RUNNING, neverStarted('queued'), dispatched(2)])
      .when(running())
      .then([late('observed running', true)]));

  it('of what was told to stop after a restore, and ended, is no news when it comes again', () =>
    given([
      ...DISPATCHED,
      stopRequested,
      stopped({ proof: 'ended-by-itself', lateOutcome: 'completed', settledBy: 'node' }),
    ])
      .when(ended(OK, { epoch: 2 }))
      .then([]));

  it('of an attempt that ended is no news', () =>
    given([...resumable(RUNNING), attemptEnded(), dispatched(2, { kind: 'resume' }), claimed(2)])
      .when(ended(INTERRUPTED))
      .then([]));

  it('of the settled generation is no news', () => given(COMPLETED).when(ended(OK)).then([]));

  it('of an abandoned run is kept beside what the operator said, and changes nothing', () =>
    given(ABANDONED)
      .when(ended(OK))
      .then([late('completed', false)]));

  it('is kept once', () =>
    given([...ABANDONED, late('completed', false)])
      .when(ended(OK))
      .then([]));

  it('of the current generation is no news while nobody holds it', () =>
    given(DISPATCHED).when(ended(OK)).then([]));

  it('of a run that waits is no news', () =>
    given(QUEUED)
      .when(ended(OK, { generation: 0 }))
      .then([]));

  it('of another journal in the same generation changes nothing', () =>
    given(COMPLETED)
      .when(ended(LOST, { journalId: otherJournal }))
      .then([]));
});

describe('the stop of a settled run', () => {
  it('names the stop that was accepted first', () =>
    given(STOPPING)
      .when(ended(killedBy('stop')))
      .then([stopped({ stopId, proof: 'process-group-gone', settledBy: 'node' })]));

  it('proves nothing when just the client of its runtime ended', () =>
    given(outliving(STOPPING))
      .when(ended(INTERRUPTED))
      .then([
        stopped({
          stopId,
          proof: 'none',
          remains: [TURN_MAY_GO_ON],
          lateOutcome: 'interrupted: client-died',
          settledBy: 'node',
        }),
      ]));
});
