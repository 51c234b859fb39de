import { RuleViolation } from '#kernel';
import { oneOf } from '#testing';
import type { AttemptEnd, Receipts, RunClass } from '../contract/index.js';
import { decideRun, type RunCommand, type RunEvent, type RunState } from '../domain/index.js';

const RUN_CLASS: RunClass = {
  runtime: 'cli',
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: true,
  outlivesClient: false,
};

export const submission = (
  runId: string,
  sessionId: string,
  random: () => number,
): Extract<RunCommand, { type: 'SubmitRun' }> => ({
  type: 'SubmitRun',
  runId,
  sessionId,
  opensSession: sessionId === runId,
  agent: oneOf(random, ['echo', 'ticker']),
  node: oneOf(random, ['n1', 'n2']),
  runClass: { ...RUN_CLASS, attempts: oneOf(random, ['single', 'resumable']) },
  prompt: `do ${runId}`,
  principal: 'user:ada',
  fingerprint: 'v1:f',
  epoch: 1,
  now: 1_000,
});

/** Any command, more often one that fits than one that does not. */
const commandFor = (
  random: () => number,
  run: RunState,
  now: number,
  epoch: number,
): RunCommand => {
  const { runId } = run;
  const current = run.status === 'none' ? 0 : run.generation;
  const generation = random() < 0.85 ? current : Math.max(1, current + oneOf(random, [-1, 1]));
  const held = run.status === 'none' ? null : (run.claim ?? run.dispatch);
  const journalId = random() < 0.9 ? (held?.journalId ?? 'j1') : 'j2';
  const incarnation = random() < 0.8 ? 'i1' : 'i2';
  const base = { runId, now };
  const speaks = { ...base, generation, journalId, incarnation, epoch };
  const receipts = someReceipts(random, now);
  const choices: readonly (() => RunCommand)[] = [
    () => ({
      ...base,
      type: 'DispatchRun',
      generation: current + 1,
      node: 'n1',
      journalId,
      startBefore: now + 10,
      askAt: now + 20,
      epoch,
      journalsAnswered: random() < 0.5,
    }),
    () => ({ ...speaks, type: 'ClaimRun' }),
    () => ({ ...speaks, type: 'ReportReceipts', receipts }),
    () => ({ ...speaks, type: 'ReportEnd', end: someEnd(random), output: OUTPUT, receipts }),
    () => ({ ...speaks, type: 'ReportRunning', evidence: 'its process lives' }),
    () => ({ ...speaks, type: 'ReportNotStarted', disproves: incarnation, proof: 'no go' }),
    () => ({
      ...base,
      type: 'ExtendStartWindow',
      generation,
      startBefore: now + 5,
      askAt: now + 9,
    }),
    () => ({
      ...base,
      type: 'RevokeDispatch',
      generation,
      reason: 'no answer',
      epoch,
      closedByJournal: random() < 0.5,
    }),
    () => ({
      ...base,
      type: 'RecordOutcomeUnknown',
      generation,
      code: 'RUN_OUTCOME_UNKNOWN',
      witness: oneOf(random, ['saga', 'reconciler']),
      evidence: { reason: 'no answer', node: 'n1', journalId, receipts: {} },
      fenced: random() < 0.3,
      epoch,
    }),
    () => ({ ...base, type: 'StrandRun', windowMs: 60, since: 0, epoch }),
    () => ({
      ...base,
      type: 'RequestRunStop',
      stopId: `s${now}`,
      reason: 'enough',
      principal: 'user:ada',
      epoch,
    }),
    () => ({
      ...base,
      type: 'ResolveRun',
      as: oneOf(random, ['completed', 'failed', 'abandoned']),
      note: 'seen',
      actor: 'user:ada',
    }),
  ];
  return weighted(random, choices, [8, 8, 4, 4, 3, 2, 1, 1, 3, 0.2, 0.8, 1])();
};

const OUTPUT = { bytes: 12, sha256: 'a'.repeat(64), truncated: false };

const weighted = <T>(
  random: () => number,
  choices: readonly T[],
  weights: readonly number[],
): T => {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return choices.find((_choice, index) => (left -= weights[index]!) < 0) ?? choices[0]!;
};

const someReceipts = (random: () => number, now: number): Receipts => ({
  ...(random() < 0.6 ? { sent: now } : {}),
  ...(random() < 0.4 ? { acked: now + 1 } : {}),
  ...(random() < 0.3 ? { observed: now + 2 } : {}),
  ...(random() < 0.3 ? { thread: `t${now % 3}`, turn: `u${now % 5}` } : {}),
});

const someEnd = (random: () => number): AttemptEnd =>
  oneOf<AttemptEnd>(random, [
    { how: 'completed', exitCode: 0 },
    { how: 'failed', code: 'EXIT_CODE', exitCode: 3 },
    { how: 'interrupted', reason: 'its client died' },
    { how: 'interrupted', reason: 'the runtime restarted' },
    { how: 'lost', reason: 'its group is gone' },
    { how: 'killed', by: 'stop', remains: [] },
    { how: 'killed', by: 'time-limit', remains: ['4711'] },
    { how: 'killed', by: 'shutdown', remains: [] },
  ]);

/** What some command leads to, as the real decider decides it; nothing when it is refused or no news. */
export const someRunEvents = (
  random: () => number,
  run: RunState,
  now: number,
  epoch: number,
): readonly RunEvent[] => {
  try {
    return decideRun(commandFor(random, run, now, epoch), run);
  } catch (error) {
    if (error instanceof RuleViolation) return [];
    throw error;
  }
};
