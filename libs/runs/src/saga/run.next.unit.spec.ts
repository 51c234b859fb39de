import { describe, expect, it } from '@jest/globals';
import { lookAgainAt, nothing, take, wait, type Step } from '#kernel';
import { evolveRun, initialRun, type RunEvent, type RunState } from '../domain/index.js';
import { nextRun, type RunContext, type RunStep } from './index.js';
import { RUN_ID as runId, submission } from './run.scenario.fixture.js';

const at = 1_000;
const { type: _type, now: _now, ...facts } = submission(at);
const submitted: RunEvent = { type: 'RunSubmitted', data: { ...facts, at } };
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
    startBefore: 11_000,
    askAt: 21_000,
  },
};
const revoked: RunEvent = {
  type: 'RunDispatchRevoked',
  data: { runId, at, generation: 1, reason: 'silence' },
};
const claimed: RunEvent = {
  type: 'RunClaimed',
  data: { runId, at, generation: 1, journalId: 'j1', incarnation: 'i1', attempt: 1 },
};
const receipts: RunEvent = {
  type: 'RunReceiptsRecorded',
  data: { runId, at, generation: 1, receipts: { sent: at } },
};
const stopRequested: RunEvent = {
  type: 'RunStopRequested',
  data: { runId, at, stopId: 's1', reason: 'enough', principal: 'user:ada' },
};
const unknown: RunEvent = {
  type: 'RunOutcomeUnknown',
  data: {
    runId,
    at,
    generation: 1,
    code: 'RUN_OUTCOME_UNKNOWN',
    witness: 'saga',
    evidence: { reason: 'silence', node: 'n1', journalId: 'j1', receipts: {} },
    fenced: false,
  },
};
const completed: RunEvent = {
  type: 'RunCompleted',
  data: {
    runId,
    at,
    generation: 1,
    exitCode: 0,
    output: { bytes: 0, sha256: 'e'.repeat(64), truncated: false },
    receipts: {},
    settledBy: 'node',
  },
};

const after = (...events: readonly RunEvent[]): RunState =>
  events.reduce(evolveRun, initialRun(runId));

const CALM: RunContext = {
  now: 2_000,
  epoch: 1,
  admitted: true,
  node: { liveness: 'alive', journalId: 'j2', accepting: true },
  doubt: null,
  framePublished: true,
  lastAnsweredAt: null,
  windows: { dispatchMs: 10_000, receiptMs: 10_000, repeatMs: 5_000 },
};
const nodeWith = (over: Partial<RunContext['node']>): Partial<RunContext> => ({
  node: { ...CALM.node, ...over },
});

describe('what a run needs next', () => {
  it.each<[string, RunState, Partial<RunContext>, Step<RunStep>]>([
    ['nothing, when it does not exist', after(), {}, nothing],
    [
      'its first dispatch, to the journal that its node has now',
      after(submitted),
      {},
      take({ kind: 'dispatch', generation: 1, journalId: 'j2' }),
    ],
    [
      'another generation, after what was certainly unsent was taken back',
      after(submitted, dispatched, revoked),
      {},
      take({ kind: 'dispatch', generation: 2, journalId: 'j2' }),
    ],
    [
      'its turn in the session',
      after(submitted),
      { admitted: false },
      wait('its turn in the session'),
    ],
    [
      'a node that is alive @FM-19',
      after(submitted),
      nodeWith({ liveness: 'unclear' }),
      wait('node n1 to come online'),
    ],
    [
      'a node that has joined',
      after(submitted),
      nodeWith({ journalId: null }),
      wait('node n1 to join again'),
    ],
    [
      'a node that takes work',
      after(submitted),
      nodeWith({ accepting: false }),
      wait('node n1 to take work again'),
    ],
    [
      'an answer of every journal, when it waits since before a restore',
      after(submitted),
      { epoch: 2 },
      take({ kind: 'askAllJournals' }),
    ],
    [
      'its frame, when whoever intended it died before it left',
      after(submitted, dispatched),
      { framePublished: false },
      take({ kind: 'publishFrame', generation: 1 }),
    ],
    [
      'a claim, within its window',
      after(submitted, dispatched),
      {},
      lookAgainAt(11_000, 'node n1 to start it'),
    ],
    [
      'an answer whether it waits, when nobody claimed it in its window',
      after(submitted, dispatched),
      { now: 11_000 },
      take({ kind: 'askWhetherWaiting', generation: 1 }),
    ],
    [
      'the word of its journal, when it was dispatched before a restore',
      after(submitted, dispatched),
      { epoch: 2 },
      take({ kind: 'askToClose', generation: 1 }),
    ],
    [
      'a sign that its prompt left',
      after(submitted, dispatched, claimed),
      {},
      lookAgainAt(21_000, 'the outcome from node n1'),
    ],
    [
      'to be asked about, when no such sign came',
      after(submitted, dispatched, claimed),
      { now: 21_000 },
      take({ kind: 'ask', generation: 1, because: 'it was claimed, and no receipt came' }),
    ],
    [
      'its outcome only, however long that takes, once its prompt left',
      after(submitted, dispatched, claimed, receipts),
      { now: 999_000 },
      wait('the outcome from node n1'),
    ],
    [
      'to be asked about, when its node fell silent @FM-18',
      after(submitted, dispatched, claimed, receipts),
      nodeWith({ liveness: 'silent' }),
      take({ kind: 'ask', generation: 1, because: 'its node fell silent' }),
    ],
    [
      'nothing new, while its node can not be judged @FM-19',
      after(submitted, dispatched, claimed, receipts),
      nodeWith({ liveness: 'unclear' }),
      wait('the outcome from node n1'),
    ],
    [
      'to be asked about, when the reconciler found a contradiction',
      after(submitted, dispatched, claimed, receipts),
      { doubt: 'its node started anew' },
      take({ kind: 'ask', generation: 1, because: 'its node started anew' }),
    ],
    [
      'its node to be told that it is stopped',
      after(submitted, dispatched, claimed, stopRequested),
      {},
      take({ kind: 'sendStop', generation: 1 }),
    ],
    [
      'proof that it stopped, for a while after its node was told',
      after(submitted, dispatched, claimed, stopRequested),
      { lastAnsweredAt: 2_000 },
      lookAgainAt(7_000, 'node n1 to prove that it stopped'),
    ],
    [
      'to be asked about again, when it is unknown and its node is back',
      after(submitted, dispatched, claimed, unknown),
      {},
      take({ kind: 'askAgain', generation: 1 }),
    ],
    [
      'proof or an operator, while its node is away',
      after(submitted, dispatched, claimed, unknown),
      nodeWith({ liveness: 'silent' }),
      wait('proof from node n1, or an operator'),
    ],
    ['nothing, when it is settled', after(submitted, dispatched, claimed, completed), {}, nothing],
  ])('%s', (_what, run, over, step) => {
    expect(nextRun(run, { ...CALM, ...over })).toStrictEqual(step);
  });
});
