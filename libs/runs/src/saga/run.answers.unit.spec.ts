import { describe, expect, it } from '@jest/globals';
import { fold } from '#kernel';
import { evolveRun, initialRun, type ExistingRun, type RunEvent } from '../domain/index.js';
import { judgeJournals, type JournalAnswer } from './run.answers.js';

const runId = 'run-1';
const at = 1_000;
const submitted: RunEvent = {
  type: 'RunSubmitted',
  data: {
    runId,
    at,
    sessionId: runId,
    opensSession: true,
    agent: 'agent-1',
    node: 'node-1',
    runClass: {
      runtime: 'resumable-sample',
      attempts: 'resumable',
      deduplicatesByKey: false,
      readBackByKey: true,
      interruptible: true,
      outlivesClient: true,
    },
    prompt: 'Say hello.',
    principal: 'principal-1',
    fingerprint: 'fingerprint-1',
    epoch: 1,
  },
};
const dispatched: RunEvent = {
  type: 'RunDispatched',
  data: {
    runId,
    at,
    epoch: 1,
    generation: 1,
    kind: 'initial',
    node: 'node-1',
    journalId: 'journal-1',
    startBefore: 11_000,
    askAt: 21_000,
  },
};
const claimed: RunEvent = {
  type: 'RunClaimed',
  data: {
    runId,
    at,
    generation: 1,
    journalId: 'journal-1',
    incarnation: 'incarnation-1',
    attempt: 1,
  },
};
const attemptEnded: RunEvent = {
  type: 'RunAttemptEnded',
  data: { runId, at, generation: 1, reason: 'client-died', receipts: {} },
};
const runOf = (...events: readonly RunEvent[]): ExistingRun => {
  const run = fold(evolveRun, initialRun(runId), [submitted, ...events]);
  if (run.status === 'none') throw new Error('not submitted');
  return run;
};
const QUEUED = runOf();
const DISPATCHED = runOf(dispatched);
const INTERRUPTED = runOf(dispatched, claimed, attemptEnded);

const said = (
  answer: JournalAnswer['answer'],
  journalId = 'journal-1',
  replaced = false,
): JournalAnswer => ({ journalId, replaced, answer });
const started = (generation: number) => ({ generation, startedBy: 'incarnation-7' });
const forgotten = (generation: number, journalId = 'journal-1') => ({
  kind: 'unknown',
  generation,
  journalId,
  incarnation: 'incarnation-7',
  because: 'started',
});
const lost = (generation: number) => ({
  kind: 'unknown',
  generation,
  journalId: 'journal-1',
  incarnation: null,
  because: 'journal-lost',
});

describe('what the journals say of a run from before a restore', () => {
  it('is enough when all of them closed it', () => {
    expect(judgeJournals(QUEUED, [said('closed'), said('closed', 'journal-2')])).toStrictEqual({
      kind: 'nothing-forgotten',
    });
  });

  it('shows a start that the stream forgot, in the generation of that start', () => {
    expect(judgeJournals(QUEUED, [said(started(2)), said('closed', 'journal-2')])).toStrictEqual(
      forgotten(2),
    );
    expect(judgeJournals(DISPATCHED, [said(started(3))])).toStrictEqual(forgotten(3));
  });

  it('shows the newest of several: the older ones can only have ended before it', () => {
    expect(judgeJournals(QUEUED, [said(started(1)), said(started(2), 'journal-2')])).toStrictEqual(
      forgotten(2, 'journal-2'),
    );
  });

  it('shows a start also while another journal is silent or lost', () => {
    expect(
      judgeJournals(QUEUED, [said('none', 'journal-2', true), said(started(1))]),
    ).toStrictEqual(forgotten(1));
  });

  it('is no news where the stream knows of the start, and how it ended', () => {
    expect(judgeJournals(INTERRUPTED, [said(started(1))])).toStrictEqual({
      kind: 'nothing-forgotten',
    });
    expect(judgeJournals(INTERRUPTED, [said(started(2))])).toStrictEqual(forgotten(2));
  });

  it('is waited for while a journal that may come back is silent', () => {
    expect(judgeJournals(QUEUED, [said('closed'), said('none', 'journal-2')])).toStrictEqual({
      kind: 'wait',
    });
    expect(
      judgeJournals(QUEUED, [said('none', 'journal-1', true), said('none', 'journal-2')]),
    ).toStrictEqual({ kind: 'wait' });
  });

  it('can not be known of a journal that is lost: it may hold the next generation', () => {
    expect(
      judgeJournals(INTERRUPTED, [said('none', 'journal-1', true), said('closed', 'journal-2')]),
    ).toStrictEqual(lost(2));
  });

  it('can not be known of a journal that is lost: it may hold what was dispatched to it', () => {
    expect(judgeJournals(DISPATCHED, [said('none', 'journal-1', true)])).toStrictEqual(lost(1));
  });
});
