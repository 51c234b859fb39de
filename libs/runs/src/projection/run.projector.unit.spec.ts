import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '#sessions/contract';
import { seededRandom } from '#testing';
import { decideRun, evolveRun, initialRun, type RunEvent, type RunState } from '../domain/index.js';
import { someRunEvents, submission } from './run-histories.fixture.js';
import { projectAdmission, projectRun } from './run.projector.js';
import type { RunRow } from './run-view.row.js';

const runId = 'r1';
const submitted = (
  over: { opensSession?: boolean; attempts?: 'single' | 'resumable' } = {},
): RunEvent => ({
  type: 'RunSubmitted',
  data: {
    runId,
    at: 1_000,
    sessionId: over.opensSession === false ? 's1' : runId,
    opensSession: over.opensSession ?? true,
    agent: 'echo',
    node: 'n1',
    runClass: {
      runtime: 'cli',
      attempts: over.attempts ?? 'single',
      deduplicatesByKey: false,
      readBackByKey: false,
      interruptible: true,
      outlivesClient: false,
    },
    prompt: 'say hello',
    principal: 'user:ada',
    fingerprint: 'v1:f',
    epoch: 1,
  },
});
const at = 2_000;
const dispatched: RunEvent = {
  type: 'RunDispatched',
  data: {
    runId,
    at,
    epoch: 1,
    generation: 1,
    kind: 'initial',
    node: 'n1',
    journalId: 'j1',
    startBefore: 2_010,
    askAt: 2_020,
  },
};
const claimed: RunEvent = {
  type: 'RunClaimed',
  data: { runId, at: 3_000, generation: 1, journalId: 'j1', incarnation: 'i1', attempt: 1 },
};
const unknown: RunEvent = {
  type: 'RunOutcomeUnknown',
  data: {
    runId,
    at: 5_000,
    generation: 1,
    code: 'RUN_OUTCOME_UNKNOWN',
    witness: 'saga',
    evidence: {
      reason: 'no answer',
      node: 'n1',
      journalId: 'j1',
      receipts: {},
      lastHeardAt: 4_000,
    },
    fenced: false,
  },
};
const output = { bytes: 5, sha256: 'ab', truncated: true };

/** The row of a run that was just submitted, with what else is expected of it. */
const rowWith = (over: Partial<RunRow>): RunRow => ({
  workspace: 'main',
  runId,
  sessionId: runId,
  agent: 'echo',
  node: 'n1',
  runtime: 'cli',
  status: 'queued',
  admitted: true,
  code: null,
  settledBy: null,
  submittedBy: 'user:ada',
  submittedAt: 1_000,
  dispatchedAt: null,
  startedAt: null,
  endedAt: null,
  updatedAt: 1_000,
  generation: 0,
  attempts: 0,
  attemptsMax: 1,
  sentAt: null,
  ackedAt: null,
  observedAt: null,
  thread: null,
  turn: null,
  exitCode: null,
  outputBytes: null,
  outputSha256: null,
  outputTruncated: null,
  stopId: null,
  stopRequestedAt: null,
  stopReason: null,
  unknownCode: null,
  unknownWitness: null,
  unknownReason: null,
  unknownFenced: null,
  unknownSince: null,
  unknownLastHeardAt: null,
  lateEvidence: 0,
  alarming: false,
  askAt: null,
  receiptOf: 0,
  lookAgainAt: 1_000,
  sequence: 1,
  ...over,
});
const DISPATCHED: Partial<RunRow> = {
  status: 'dispatched',
  generation: 1,
  dispatchedAt: at,
  askAt: 2_020,
};
const RUNNING: Partial<RunRow> = {
  ...DISPATCHED,
  status: 'running',
  attempts: 1,
  startedAt: 3_000,
};
const UNKNOWN: Partial<RunRow> = {
  ...RUNNING,
  status: 'unknown',
  code: 'RUN_OUTCOME_UNKNOWN',
  unknownCode: 'RUN_OUTCOME_UNKNOWN',
  unknownWitness: 'saga',
  unknownReason: 'no answer',
  unknownFenced: false,
  unknownSince: 5_000,
  unknownLastHeardAt: 4_000,
  lookAgainAt: 5_000,
};

const project = (events: readonly RunEvent[]): RunRow | undefined =>
  events.reduce<RunRow | undefined>(
    (row, event, index) => projectRun(row, event, { workspace: 'main', sequence: index + 1 }),
    undefined,
  );
/** The row after these events, the newest of which happened at 9,000 and is the last in the stream. */
const after = (events: readonly RunEvent[], over: Partial<RunRow>): void =>
  expect(project(events)).toStrictEqual(
    rowWith({ updatedAt: events.at(-1)!.data.at, sequence: events.length, ...over }),
  );
const event = <Type extends RunEvent['type']>(
  type: Type,
  data: Omit<Extract<RunEvent, { type: Type }>['data'], 'runId' | 'at'>,
): RunEvent => ({ type, data: { runId, at: 9_000, ...data } }) as unknown as RunEvent;

const started = [submitted(), dispatched, claimed];
const lost = [...started, unknown];

describe('the row of a run', () => {
  it('begins with its submission', () => after([submitted()], {}));

  it('of a named session waits for its place, and for nobody to look', () =>
    after([submitted({ opensSession: false })], {
      sessionId: 's1',
      admitted: false,
      lookAgainAt: null,
    }));

  it('of a resumable runtime may be entered more than once', () =>
    after([submitted({ attempts: 'resumable' })], { attemptsMax: 5 }));

  it('RunDispatched: is looked at again when its window ends', () =>
    after([submitted(), dispatched], { ...DISPATCHED, lookAgainAt: 2_010 }));

  it('RunStartWindowExtended: is looked at again when the longer window ends', () =>
    after(
      [
        submitted(),
        dispatched,
        event('RunStartWindowExtended', { generation: 1, startBefore: 9_100, askAt: 9_200 }),
      ],
      {
        ...DISPATCHED,
        askAt: 9_200,
        lookAgainAt: 9_100,
      },
    ));

  it('RunStartWindowExtended: an extension that comes after the claim moves no deadline', () =>
    after(
      [
        ...started,
        event('RunStartWindowExtended', { generation: 1, startBefore: 9_100, askAt: 9_200 }),
      ],
      {
        ...RUNNING,
        askAt: 9_200,
        lookAgainAt: 2_020,
      },
    ));

  it('RunDispatchRevoked: is queued again, and due at once', () =>
    after([submitted(), dispatched, event('RunDispatchRevoked', { generation: 1, reason: 'r' })], {
      generation: 1,
      lookAgainAt: 9_000,
    }));

  it('RunClaimed: is asked about when no receipt comes', () =>
    after(started, { ...RUNNING, lookAgainAt: 2_020 }));

  it('RunReceiptsRecorded: a receipt of its generation leaves no deadline', () =>
    after(
      [
        ...started,
        event('RunReceiptsRecorded', { generation: 1, receipts: { sent: 8_000, thread: 't' } }),
      ],
      {
        ...RUNNING,
        sentAt: 8_000,
        thread: 't',
        receiptOf: 1,
        lookAgainAt: null,
      },
    ));

  it('RunReceiptsRecorded: a later receipt keeps what an earlier one said', () =>
    after(
      [
        ...started,
        event('RunReceiptsRecorded', { generation: 1, receipts: { sent: 8_000 } }),
        event('RunReceiptsRecorded', {
          generation: 1,
          receipts: { acked: 8_100, observed: 8_200, turn: 'u' },
        }),
      ],
      {
        ...RUNNING,
        sentAt: 8_000,
        ackedAt: 8_100,
        observedAt: 8_200,
        turn: 'u',
        receiptOf: 1,
        lookAgainAt: null,
      },
    ));

  it('RunNotStarted: the attempt does not count', () =>
    after(
      [
        ...started,
        event('RunNotStarted', { generation: 1, incarnation: 'i1', proof: 'p', to: 'queued' }),
      ],
      {
        generation: 1,
        lookAgainAt: 9_000,
      },
    ));

  it('RunNotStarted: proof that an unknown run never started fails it', () =>
    after(
      [
        ...lost,
        event('RunNotStarted', {
          generation: 1,
          incarnation: 'i1',
          proof: 'p',
          to: 'failed',
          code: 'RUN_NEVER_STARTED',
        }),
      ],
      {
        ...DISPATCHED,
        status: 'failed',
        code: 'RUN_NEVER_STARTED',
        settledBy: 'proof',
        endedAt: 9_000,
        lookAgainAt: null,
      },
    ));

  it('RunAttemptEnded: is queued for another look, with what the attempt showed', () =>
    after(
      [
        ...started,
        event('RunAttemptEnded', { generation: 1, reason: 'r', receipts: { sent: 8_000 } }),
      ],
      {
        generation: 1,
        attempts: 1,
        startedAt: 3_000,
        sentAt: 8_000,
        lookAgainAt: 9_000,
      },
    ));

  it('RunCompleted: holds its end whole', () =>
    after(
      [
        ...started,
        event('RunCompleted', {
          generation: 1,
          exitCode: 0,
          output,
          receipts: { acked: 8_000 },
          settledBy: 'node',
        }),
      ],
      {
        ...RUNNING,
        status: 'completed',
        settledBy: 'node',
        endedAt: 9_000,
        exitCode: 0,
        outputBytes: 5,
        outputSha256: 'ab',
        outputTruncated: true,
        ackedAt: 8_000,
        lookAgainAt: null,
      },
    ));

  it('RunCompleted: late proof ends what was unknown', () =>
    after(
      [
        ...lost,
        event('RunCompleted', {
          generation: 1,
          exitCode: 0,
          output,
          receipts: {},
          settledBy: 'proof',
        }),
      ],
      {
        ...RUNNING,
        status: 'completed',
        settledBy: 'proof',
        endedAt: 9_000,
        exitCode: 0,
        outputBytes: 5,
        outputSha256: 'ab',
        outputTruncated: true,
        lookAgainAt: null,
      },
    ));

  it('RunFailed: says how', () =>
    after(
      [
        ...started,
        event('RunFailed', {
          generation: 1,
          code: 'EXIT_CODE',
          exitCode: 3,
          output: null,
          receipts: {},
          settledBy: 'node',
        }),
      ],
      {
        ...RUNNING,
        status: 'failed',
        code: 'EXIT_CODE',
        settledBy: 'node',
        endedAt: 9_000,
        exitCode: 3,
        lookAgainAt: null,
      },
    ));

  it('RunStranded: failed, by the reconciler', () =>
    after([submitted(), event('RunStranded', { windowMs: 60_000 })], {
      status: 'failed',
      code: 'RUN_STRANDED',
      settledBy: 'reconciler',
      endedAt: 9_000,
      lookAgainAt: null,
    }));

  it('RunOutcomeUnknown: shows its evidence, and is due', () => after(lost, UNKNOWN));

  it('RunFenced: stays unknown, and no longer holds its session', () =>
    after([...lost, event('RunFenced', { generation: 1, proof: 'p' })], {
      ...UNKNOWN,
      unknownFenced: true,
    }));

  it('RunObservedRunning: runs after all', () =>
    after(
      [
        ...lost,
        event('RunObservedRunning', {
          generation: 1,
          incarnation: 'i1',
          evidence: 'e',
          to: 'running',
        }),
      ],
      {
        ...RUNNING,
        lookAgainAt: 2_020,
      },
    ));

  it('RunObservedRunning: is being stopped after all', () =>
    after(
      [
        ...lost,
        event('RunObservedRunning', {
          generation: 1,
          incarnation: 'i1',
          evidence: 'e',
          to: 'stopping',
        }),
      ],
      {
        ...RUNNING,
        status: 'stopping',
        lookAgainAt: 9_000,
      },
    ));

  it('RunStopRequested: is being stopped', () =>
    after(
      [
        ...started,
        event('RunStopRequested', { stopId: 'st', reason: 'enough', principal: 'user:ada' }),
      ],
      {
        ...RUNNING,
        status: 'stopping',
        stopId: 'st',
        stopRequestedAt: 9_000,
        stopReason: 'enough',
        lookAgainAt: 9_000,
      },
    ));

  it('RunStopRequested: of a run that was queued before a restore leaves it queued', () =>
    after(
      [
        submitted(),
        event('RunStopRequested', { stopId: 'st', reason: 'enough', principal: 'user:ada' }),
      ],
      {
        stopId: 'st',
        stopRequestedAt: 9_000,
        stopReason: 'enough',
        lookAgainAt: 9_000,
      },
    ));

  it('RunStopped: is settled by proof', () =>
    after(
      [
        submitted(),
        event('RunStopRequested', { stopId: 'st', reason: 'enough', principal: 'user:ada' }),
        event('RunStopped', {
          stopId: 'st',
          proof: 'unclaimed',
          remains: [],
          lateOutcome: null,
          settledBy: 'proof',
        }),
      ],
      {
        status: 'stopped',
        settledBy: 'proof',
        endedAt: 9_000,
        stopId: 'st',
        stopRequestedAt: 9_000,
        stopReason: 'enough',
        lookAgainAt: null,
      },
    ));

  it.each([
    ['completed', null],
    ['failed', 'RUN_OUTCOME_UNKNOWN'],
    ['abandoned', 'RUN_OUTCOME_UNKNOWN'],
  ] as const)('RunResolved: an operator counts it as %s, with code %p', (as, code) =>
    after([...lost, event('RunResolved', { as, note: 'n', actor: 'user:ada' })], {
      ...RUNNING,
      status: as,
      code,
      settledBy: 'operator',
      endedAt: 9_000,
      lookAgainAt: null,
    }),
  );

  it('LateEvidenceRecorded: is counted, and an impossible start stays an alarm', () =>
    after(
      [
        ...started,
        event('LateEvidenceRecorded', { generation: 1, evidence: 'a', showsStart: true }),
        event('LateEvidenceRecorded', { generation: 1, evidence: 'b', showsStart: false }),
      ],
      { ...RUNNING, lateEvidence: 2, alarming: true, lookAgainAt: 2_020 },
    ));

  it('is not made of events whose beginning is missing', () => {
    expect(project([dispatched, claimed])).toBeUndefined();
  });

  it('is left as it is by an event of a later version', () => {
    const later = { type: 'RunPraised', data: { runId, at: 9_000 } } as unknown as RunEvent;
    const row = rowWith({});
    expect(projectRun(row, later, { workspace: 'main', sequence: 2 }) ?? row).toBe(row);
  });
});

describe('the place of a run in its session', () => {
  const waiting = rowWith({ sessionId: 's1', admitted: false, lookAgainAt: null });
  const queued = (admitted: boolean, of = runId): SessionEvent => ({
    type: 'SessionRunQueued',
    data: { sessionId: 's1', at: 1_500, runId: of, admitted, releases: admitted ? 's1' : null },
  });
  const advanced = (admitted: string): SessionEvent => ({
    type: 'SessionAdvanced',
    data: { sessionId: 's1', at: 1_500, released: 's1', admitted },
  });
  const admit = (row: RunRow | undefined, session: SessionEvent): RunRow | undefined =>
    projectAdmission(row, session, { workspace: 'main', sequence: 2 });

  it.each([['at once', queued(true)] as const, ['later', advanced(runId)] as const])(
    'is given %s: it is due',
    (_when, session) => {
      expect(admit(waiting, session)).toStrictEqual({
        ...waiting,
        admitted: true,
        updatedAt: 1_500,
        lookAgainAt: 1_500,
        sequence: 2,
      });
    },
  );

  it('is not given to a run that waits, and not by what another one is given', () => {
    expect(admit(waiting, queued(false))).toBe(waiting);
    expect(admit(waiting, advanced('r2'))).toBe(waiting);
    expect(admit(undefined, advanced(runId))).toBeUndefined();
  });

  it('moves no deadline of a run that was stopped before it got one', () => {
    const stopped = rowWith({ admitted: false, status: 'stopped', lookAgainAt: null });
    expect(admit(stopped, advanced(runId))).toStrictEqual({
      ...stopped,
      admitted: true,
      updatedAt: 1_500,
      sequence: 2,
    });
  });
});

/** What row and folded state both say. */
const inCommon = (run: RunState) => {
  if (run.status === 'none') return undefined;
  const isUnknown = run.status === 'unknown';
  return {
    status: run.status,
    generation: run.generation,
    node: run.submission.node,
    sessionId: run.submission.sessionId,
    receipts: {
      sent: run.receipts.sent ?? null,
      acked: run.receipts.acked ?? null,
      observed: run.receipts.observed ?? null,
      thread: run.receipts.thread ?? null,
      turn: run.receipts.turn ?? null,
    },
    receiptOf: run.receiptOf,
    stop: run.stop && { stopId: run.stop.stopId, at: run.stop.at },
    unknown: isUnknown ? run.unknown : null,
    lateEvidence: run.lateEvidence.length,
    code: isUnknown ? (run.unknown?.code ?? null) : run.code,
    // A row counts the entry that is under way as well.
    attempts: run.status === 'queued' ? run.attemptsEnded : 'not compared',
  };
};
const inCommonOf = (row: RunRow | undefined) =>
  row && {
    status: row.status,
    generation: row.generation,
    node: row.node,
    sessionId: row.sessionId,
    receipts: {
      sent: row.sentAt,
      acked: row.ackedAt,
      observed: row.observedAt,
      thread: row.thread,
      turn: row.turn,
    },
    receiptOf: row.receiptOf,
    stop: row.stopId === null ? null : { stopId: row.stopId, at: row.stopRequestedAt },
    unknown: row.unknownCode === null ? null : { code: row.unknownCode, fenced: row.unknownFenced },
    lateEvidence: row.lateEvidence,
    // An operator's word has no code in the fold; the row keeps why nobody knew better.
    code: row.settledBy === 'operator' ? null : row.code,
    attempts: row.status === 'queued' ? row.attempts : 'not compared',
  };

describe('any history that the decider writes', () => {
  it('leaves the row where the decider’s own fold is', () => {
    const met = new Set<string>();
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(seed);
      let run = initialRun(runId);
      let row: RunRow | undefined;
      let epoch = 1;
      const apply = (events: readonly RunEvent[], sequence: number): void => {
        if (events.length === 0) return;
        for (const one of events) {
          met.add(one.type);
          run = evolveRun(run, one);
          row = projectRun(row, one, { workspace: 'main', sequence });
        }
        const [seen, folded] = [inCommonOf(row), inCommon(run)];
        // A restore may lose a claim, and with it an entry that nobody counts.
        const leftOut = epoch > 1 ? { attempts: 'not compared' } : {};
        const [one, other] = [
          { seed, ...seen, ...leftOut },
          { seed, ...folded, ...leftOut },
        ];
        if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other); // `expect` alone is slow, thousands of times.
      };
      apply(decideRun(submission(runId, runId, random), run), 1);
      for (let step = 2; step < 60; step += 1) {
        if (random() < 0.02) epoch += 1;
        apply(someRunEvents(random, run, 1_000 + step, epoch), step);
      }
    }
    // The histories reached everything that can happen to a run.
    expect([...met].sort()).toEqual([
      'LateEvidenceRecorded',
      'RunAttemptEnded',
      'RunClaimed',
      'RunCompleted',
      'RunDispatchRevoked',
      'RunDispatched',
      'RunFailed',
      'RunFenced',
      'RunNotStarted',
      'RunObservedRunning',
      'RunOutcomeUnknown',
      'RunReceiptsRecorded',
      'RunResolved',
      'RunStartWindowExtended',
      'RunStopRequested',
      'RunStopped',
      'RunStranded',
      'RunSubmitted',
    ]);
  });
});
