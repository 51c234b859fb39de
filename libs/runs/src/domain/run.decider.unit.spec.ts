import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { TURN_MAY_GO_ON } from '../contract/index.js';
import { RUN } from './run.decider.js';
import {
  ABANDONED,
  COMPLETED,
  DISPATCHED,
  QUEUED,
  RUNNING,
  STOPPED,
  STOPPING,
  UNKNOWN,
  UNKNOWN_FENCED,
  UNKNOWN_STOPPED,
  attemptEnded,
  claim,
  claimed,
  dispatch,
  dispatched,
  evidence,
  journalId,
  now,
  otherIncarnation,
  otherJournal,
  outliving,
  recordUnknown,
  requestStop,
  resolve,
  resolved,
  resumable,
  revoke,
  revoked,
  runId,
  stopId,
  stopRequested,
  stopped,
  submit,
  submitted,
  unknown,
} from './run.fixture.js';

const given = deciderSpec(RUN, runId);

describe('a submission', () => {
  it('makes a queued run', () => given([]).when(submit).then([submitted]));

  it('that comes again is the same run', () => given(RUNNING).when(submit).then([]));

  it('under the same id with other content is refused, and nothing is written', () =>
    given(QUEUED)
      .when({ ...submit, fingerprint: 'fingerprint-2' })
      .thenRefuses('idempotency_conflict', { runId }));

  it('must come before any other command', () =>
    given([]).when(requestStop()).thenRefuses('run_not_found', { runId }));
});

describe('a dispatch', () => {
  it('of a queued run carries the prompt', () =>
    given(QUEUED).when(dispatch()).then([dispatched()]));

  it('after an attempt ended is a resume, without the prompt', () =>
    given([...resumable(RUNNING), attemptEnded()])
      .when(dispatch(2))
      .then([dispatched(2, { kind: 'resume' })]));

  it('after a generation that was taken back carries the prompt: nothing was sent', () =>
    given([...DISPATCHED, revoked()])
      .when(dispatch(2))
      .then([dispatched(2)]));

  it.each([
    ['dispatched', DISPATCHED],
    ['running', RUNNING],
    ['stopping', STOPPING],
    ['unknown', UNKNOWN],
    ['completed', COMPLETED],
    ['stopped', STOPPED],
    ['abandoned', ABANDONED],
  ])('of a %s run is refused', (status, history) =>
    given(history)
      .when(dispatch(2))
      .thenRefuses('run.not_dispatchable', { runId, status, generation: 2 }),
  );

  it('of another generation than the next one is refused', () =>
    given(QUEUED)
      .when(dispatch(2))
      .thenRefuses('run.not_dispatchable', { runId, status: 'queued', generation: 2 }));

  it('after a restore is refused until every journal answered', () =>
    given(QUEUED)
      .when(dispatch(1, { epoch: 2 }))
      .thenRefuses('run.journals_unanswered', { runId, epoch: 2 }));

  it('after a restore is made when every journal answered', () =>
    given(QUEUED)
      .when(dispatch(1, { epoch: 2, journalsAnswered: true }))
      .then([dispatched(1, { epoch: 2 })]));

  it('with a stop recorded before the journals answered is a stop', () =>
    given([...QUEUED, stopRequested])
      .when(dispatch(1, { epoch: 2, journalsAnswered: true }))
      .then([stopped()]));
});

describe('the window for a start', () => {
  const extend = {
    type: 'ExtendStartWindow',
    runId,
    now,
    generation: 1,
    startBefore: 21_000,
    askAt: 31_000,
  } as const;

  it('is extended while the frame waits', () =>
    given(DISPATCHED)
      .when(extend)
      .then([
        {
          type: 'RunStartWindowExtended',
          data: { runId, at: now, generation: 1, startBefore: 21_000, askAt: 31_000 },
        },
      ]));

  it.each([
    ['queued', QUEUED],
    ['running', RUNNING],
    ['dispatched again', [...DISPATCHED, revoked(), dispatched(2)]],
  ])('is not extended when it is %s', (_status, history) => given(history).when(extend).then([]));
});

describe('taking a generation back', () => {
  it('is certain while nobody claimed it', () =>
    given(DISPATCHED).when(revoke()).then([revoked()]));

  it.each([
    ['queued', QUEUED],
    ['running', RUNNING],
    ['stopping', STOPPING],
    ['unknown', UNKNOWN],
    ['completed', COMPLETED],
  ])('is refused when it is %s', (status, history) =>
    given(history)
      .when(revoke())
      .thenRefuses('run.not_revocable', { runId, status, generation: 1 }),
  );

  it('is refused for an older generation', () =>
    given([...DISPATCHED, revoked(), dispatched(2)])
      .when(revoke())
      .thenRefuses('run.not_revocable', { runId, status: 'dispatched', generation: 1 }));

  it('is refused after a restore: the claim may be forgotten', () =>
    given(DISPATCHED)
      .when(revoke({ epoch: 2 }))
      .thenRefuses('run.maybe_claimed_before_restore', { runId, generation: 1 }));

  it('is possible after a restore when its journal closed it', () =>
    given(DISPATCHED)
      .when(revoke({ epoch: 2, closedByJournal: true }))
      .then([revoked()]));
});

describe('a claim', () => {
  it('is granted to the first that asks', () => given(DISPATCHED).when(claim()).then([claimed()]));

  it('counts the attempts', () =>
    given([...resumable(RUNNING), attemptEnded(), dispatched(2, { kind: 'resume' })])
      .when(claim({ generation: 2 }))
      .then([{ ...claimed(2), data: { ...claimed(2).data, attempt: 2 } }]));

  it.each([
    ['running', RUNNING],
    ['unknown', UNKNOWN],
  ])('that is asked for again is still its own while the run is %s', (_status, history) =>
    given(history).when(claim()).then([]),
  );

  it.each([
    ['another incarnation asks', RUNNING, { incarnation: otherIncarnation }, 'running'],
    ['another journal asks', DISPATCHED, { journalId: otherJournal }, 'dispatched'],
    ['it was taken back', [...DISPATCHED, revoked()], {}, 'queued'],
    [
      'a newer generation was dispatched',
      [...DISPATCHED, revoked(), dispatched(2)],
      {},
      'dispatched',
    ],
    [
      'it is of a generation that was never dispatched',
      DISPATCHED,
      { generation: 2 },
      'dispatched',
    ],
    ['a stop came in between', STOPPING, {}, 'stopping'],
    [
      'another incarnation asks for what is unknown',
      UNKNOWN,
      { incarnation: otherIncarnation },
      'unknown',
    ],
    ['the run is stopped', [...DISPATCHED, stopRequested, stopped()], {}, 'stopped'],
    ['the run is completed', COMPLETED, {}, 'completed'],
    ['the run is abandoned', ABANDONED, {}, 'abandoned'],
  ])('is refused when %s', (_why, history, more, status) =>
    given(history)
      .when(claim(more))
      .thenRefuses('run.claim_refused', {
        runId,
        generation: { ...claim(more) }.generation,
        status,
      }),
  );

  it('is refused for what was dispatched before a restore', () =>
    given(DISPATCHED)
      .when(claim({ epoch: 2 }))
      .thenRefuses('run.claim_of_older_epoch', { runId, generation: 1 }));
});

describe('a run that nobody takes', () => {
  const strand = {
    type: 'StrandRun',
    runId,
    now: 61_000,
    windowMs: 60_000,
    since: 1_000,
    epoch: 1,
  } as const;
  const stranded = {
    type: 'RunStranded',
    data: { runId, at: 61_000, windowMs: 60_000 },
  } as const;

  it('fails when its window is over', () => given(QUEUED).when(strand).then([stranded]));

  it.each([
    ['it is too early', QUEUED, { now: 60_999 }],
    ['it was dispatched once', [...DISPATCHED, revoked()], {}],
    ['it is dispatched', DISPATCHED, {}],
    ['it runs', RUNNING, {}],
    ['a restore holds it', QUEUED, { epoch: 2 }],
    ['it is settled', STOPPED, {}],
  ])('is left alone when %s', (_why, history, more) =>
    given(history)
      .when({ ...strand, ...more })
      .then([]),
  );
});

describe('an outcome that nobody can say', () => {
  it.each([
    ['running', RUNNING],
    ['stopping', STOPPING],
  ])('makes a %s run unknown', (_status, history) =>
    given(history).when(recordUnknown()).then([unknown()]),
  );

  it.each([
    ['of an older generation', [...DISPATCHED, revoked(), dispatched(2), claimed(2)]],
    ['of a dispatched run: unclaimed is certainly unsent', DISPATCHED],
    ['of a queued run', QUEUED],
    ['of an unknown run', UNKNOWN],
    ['of a completed run', COMPLETED],
    ['of a stopped run', STOPPED],
    ['of an abandoned run', ABANDONED],
  ])('is no news %s (@FM-19)', (_what, history) => given(history).when(recordUnknown()).then([]));

  it('after a restore makes a dispatched run unknown', () =>
    given(DISPATCHED)
      .when(recordUnknown({ epoch: 2 }))
      .then([unknown()]));

  it('after a restore makes it unknown in the later generation that its journal knows of', () =>
    given(DISPATCHED)
      .when(recordUnknown({ epoch: 2, generation: 3 }))
      .then([unknown({ generation: 3 })]));

  it('after a restore is not taken back to an earlier generation', () =>
    given([...DISPATCHED, revoked(), dispatched(2)])
      .when(recordUnknown({ epoch: 2 }))
      .then([]));

  it('after a restore makes a queued run unknown in the generation that a journal started', () =>
    given(QUEUED)
      .when(recordUnknown({ epoch: 2, generation: 2 }))
      .then([unknown({ generation: 2 })]));
});

describe('a stop', () => {
  it('of a queued run is final in one commit', () =>
    given(QUEUED).when(requestStop()).then([stopRequested, stopped()]));

  it('of a dispatched, unclaimed run is final in one commit', () =>
    given(DISPATCHED).when(requestStop()).then([stopRequested, stopped()]));

  it.each([
    ['running', RUNNING],
    ['unknown', UNKNOWN],
  ])('of a %s run goes to its node', (_status, history) =>
    given(history).when(requestStop()).then([stopRequested]),
  );

  it('of an unknown run that is fenced is final: nothing of it lives', () =>
    given(UNKNOWN_FENCED)
      .when(requestStop())
      .then([stopRequested, stopped({ proof: 'fenced' })]));

  it.each([
    ['waits to be resumed', outliving([...RUNNING, attemptEnded()]), 'unclaimed'],
    ['is fenced', outliving(UNKNOWN_FENCED), 'fenced'],
  ])(
    'of a run that %s says that its runtime may go on, where it goes on without its client',
    (_what, history, proof) =>
      given(history)
        .when(requestStop())
        .then([stopRequested, stopped({ proof, remains: [TURN_MAY_GO_ON] })]),
  );

  it('of a run that nobody ever claimed leaves nothing, wherever it would have run', () =>
    given(outliving(QUEUED)).when(requestStop()).then([stopRequested, stopped()]));

  it.each([
    ['stopping', STOPPING],
    ['unknown, with a stop recorded', UNKNOWN_STOPPED],
    ['stopped', STOPPED],
    ['completed', COMPLETED],
    ['abandoned', ABANDONED],
  ])('of a run that is %s changes nothing', (_status, history) =>
    given(history).when(requestStop(1, 'stop-2')).then([]),
  );

  it.each([
    ['queued', QUEUED],
    ['dispatched', DISPATCHED],
  ])('of a run that was %s before a restore waits for what its journals know', (_status, history) =>
    given(history).when(requestStop(2)).then([stopRequested]),
  );
});

describe('an operator', () => {
  it.each(['completed', 'failed', 'abandoned'] as const)('may resolve an unknown run as %s', (as) =>
    given(UNKNOWN)
      .when(resolve(as))
      .then([resolved(as)]),
  );

  it('may not call completed what was stopped', () =>
    given(UNKNOWN_STOPPED)
      .when(resolve('completed'))
      .thenRefuses('run_stop_recorded', { runId, stopId }));

  it('may call it failed', () =>
    given(UNKNOWN_STOPPED)
      .when(resolve('failed'))
      .then([resolved('failed')]));

  it.each([
    ['queued', QUEUED],
    ['running', RUNNING],
    ['completed', COMPLETED],
    ['abandoned', ABANDONED],
  ])('resolves no %s run', (status, history) =>
    given(history).when(resolve('abandoned')).thenRefuses('run_not_unknown', { runId, status }),
  );
});

describe('the holder of a run that became unknown after a restore', () => {
  it('is the journal that was asked, whichever of its incarnations started it', () =>
    given([
      ...DISPATCHED,
      unknown({ evidence: { reason: 'started', node: evidence.node, journalId, receipts: {} } }),
    ])
      .when(claim({ epoch: 2 }))
      .thenRefuses('run.claim_refused', { runId, generation: 1, status: 'unknown' }));
});
